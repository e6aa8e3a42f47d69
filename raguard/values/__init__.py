"""What can a text state, and when does one statement cover another? Value types know nothing of text."""
