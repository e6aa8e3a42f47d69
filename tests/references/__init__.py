"""What does each shortcut stand for? The plain, slow way to the same result, for tests to compare with."""
