"""The texts on which a real model is measured. They were written for this project."""

from __future__ import annotations

SENTENCES = (
    "The cat slept on the warm stone until the sun went down.",
    "She put the letter in a drawer and never opened it again.",
    "Water boils at a lower temperature high in the mountains.",
    "The old bridge was closed after the storm last winter.",
    "He asked the waiter for a glass of water and some bread.",
    "Many birds fly south before the first snow falls.",
    "The teacher wrote the answer on the board and smiled.",
    "My brother plays the piano every evening after dinner.",
    "The train to the coast leaves at seven in the morning.",
    "A good knife is the most important tool in a kitchen.",
    "They painted the door green because blue was too dark.",
    "The moon is smaller than the earth and has no air.",
    "Please close the window before the rain comes in.",
    "The doctor told him to rest and to drink plenty of tea.",
    "The children built a small boat from wood and paper.",
    "Our neighbours grow tomatoes and beans behind the house.",
    "The library lends books and films for three weeks.",
    "Iron becomes soft when it is heated for a long time.",
    "The judge listened to both sides and then made her decision.",
    "It was so quiet that we could hear the clock in the hall.",
)
PROMPTS = (
    "The children went to the park because the weather was",
    "In the morning the farmer opened the gate and",
)
CAPITALS = {
    "France": "Paris", "Germany": "Berlin", "Italy": "Rome", "Spain": "Madrid", "Japan": "Tokyo", "China": "Beijing",
    "Russia": "Moscow", "Egypt": "Cairo", "Greece": "Athens", "Austria": "Vienna", "Poland": "Warsaw",
    "Ireland": "Dublin", "Portugal": "Lisbon", "Cuba": "Havana", "Iran": "Tehran", "Kenya": "Nairobi",
    "Norway": "Oslo", "Sweden": "Stockholm",
}  # fmt: skip
WORDS = tuple(
    "apple river stone music garden winter window paper silver dragon orange engine pocket forest camera bridge "
    "island monkey candle letter summer market button castle ladder mirror planet rocket shadow ticket turtle valley "
    "wagon violin basket copper desert falcon guitar hammer".split()
)
# Each row has a subject in the singular and in the plural, and then another noun in the singular and the plural. This
# noun comes between subject and verb, in the other number than the subject, to mislead the model.
SUBJECTS = (
    ("key", "keys", "cabinet", "cabinets"), ("book", "books", "shelf", "shelves"),
    ("child", "children", "house", "houses"),
    ("dog", "dogs", "tree", "trees"), ("cup", "cups", "window", "windows"), ("picture", "pictures", "door", "doors"),
    ("car", "cars", "bridge", "bridges"), ("boy", "boys", "girl", "girls"),
)  # fmt: skip


def capital_of(country: str) -> str:
    """Return the beginning of a sentence whose next word is the country's capital.

    >>> capital_of("France")
    'The capital of France is'
    """
    return f"The capital of {country} is"
