"""Greetings for the staff."""

NAMES = ("Ada", "Grace", "Barbara")


def greet(hour):
    if hour < 12:
        word = "Good morning"
    else:
        word = "Good evening"
    print(word + ", " + " and ".join(NAMES) + "!")


with open("greetings.txt") as stream:
    for row in stream:
        greet(int(row))
