// One task, as a model with a fixed script solves it on each surface.
import { tasks } from '../../../bench/code-tasks.mjs';

export const task = 'Label each crash that has no label yet as "crash", and say so in a comment.';

const list = [1, 2].map((page) => ({ name: 'mcp__issues__list', input: { page } }));
const change = [6, 14].flatMap((number) => [
  { name: 'mcp__issues__label', input: { number, label: 'crash' } },
  { name: 'mcp__issues__comment', input: { number, body: 'Labelled as a crash.' } },
]);
const search = [
  { name: 'search_mcp_tools', input: { query: 'Find issues about crashes, label each one and comment on it' } },
];
const { program } = tasks.find(({ name }) => name.startsWith('label crashes'));

/** `turns`: the calls of each answer of the model. The answer after them is `end`. */
export const scripts = {
  all: [list, change],
  search: [search, list.map(throughCallTool), change.map(throughCallTool)],
  defer: [search, list, change],
  code: [search, [{ name: 'execute_mcp_code', input: { code: program } }]],
};
export const end = 'I labelled issues 6 and 14.';

function throughCallTool({ name, input }) {
  return { name: 'call_mcp_tool', input: { name, arguments: input } };
}
