import clock

SPAN = 60
