"""The code of the page “For lecturers”: how to prepare, present, hand out and embed a lecture."""
