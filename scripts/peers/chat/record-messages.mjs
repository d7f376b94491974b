// Loaded into a server before its own code: writes its process id and every message that it receives into RECORD_FILE.
import { appendFileSync } from 'node:fs';

const file = process.env.RECORD_FILE;
appendFileSync(file, `${JSON.stringify({ pid: process.pid })}\n`);
const { emit } = process.stdin;
process.stdin.emit = function (event, ...values) {
  if (event === 'data') appendFileSync(file, String(values[0]));
  return emit.call(this, event, ...values);
};
