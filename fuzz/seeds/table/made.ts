@problemName Made
@timeStamps false
@univariate false
@dimensions 2
@classLabel true up down
@data
1,2,3:4,?,6:up
-1:0.5:down
:1,2:up
