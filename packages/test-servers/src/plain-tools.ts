import type { ServedTool } from './json-lines.js';

/** Answers with the text it was given. Most servers offer it, to prove that they still work. */
export const echoTool: ServedTool = {
  name: 'echo',
  description: 'Echo a text',
  properties: { text: { type: 'string' } },
  run: ({ text }) => String(text),
};

/** Returns the process id, so that a test can distinguish two starts of a server. */
export const pidTool: ServedTool = {
  name: 'pid',
  description: 'The process id of this server',
  run: () => String(process.pid),
};
