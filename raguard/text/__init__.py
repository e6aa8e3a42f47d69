"""What is the plain text, and where in the original does each of its characters stand?"""
