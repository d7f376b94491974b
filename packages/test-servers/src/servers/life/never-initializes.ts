// Never responds. Exits at the end of stdin.
process.stdin.resume();
