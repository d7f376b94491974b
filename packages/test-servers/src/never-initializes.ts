// Reads everything and answers nothing. Leaves at the end of stdin.
process.stdin.resume();
