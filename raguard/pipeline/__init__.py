"""What does a whole RAG application make of a question, with every part of it scored?"""
