import type { ServedTool } from './json-lines.js';

/** Returns its text. Most servers offer it, to prove that they work. */
export const echoTool: ServedTool = {
  name: 'echo',
  description: 'Echo a text',
  properties: { text: { type: 'string' } },
  run: ({ text }) => String(text),
};

/** Returns the process id, which distinguishes two starts. */
export const pidTool: ServedTool = {
  name: 'pid',
  description: 'The process id of this server',
  run: () => String(process.pid),
};
