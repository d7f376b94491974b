// The conversation that each program has: on a project folder of its own, with three real servers.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startModelEndpoint } from '../model-endpoint.mjs';
import { startChat } from './chat-process.mjs';

const pollMs = 50;
const waitLimitMs = 10_000;
/** As a URL, which Node also takes on Windows. */
const recorder = new URL('record-messages.mjs', import.meta.url).href;

/** Searches of a user, each with the tool that they mean. Written before any of the programs has answered them. */
export const searches = [
  ['read a text file', 'files__read_text_file'],
  ['list directory', 'files__list_directory'],
  ['how big is a file', 'files__get_file_info'],
  ['search files by name', 'files__search_files'],
  ['serach files', 'files__search_files'],
  ['knowledge graph', 'memory__read_graph'],
  ['look up entities', 'memory__search_nodes'],
  ['what do we know about a person', 'memory__search_nodes'],
  ['add two numbers', 'everything__get-sum'],
  ['environment variables', 'everything__get-env'],
  ['echo', 'everything__echo'],
  ['picture', 'everything__get-tiny-image'],
];

/**
 * @param options.program - The file to run with `options.node`, in `options.project`, where its packages are installed.
 * @returns What is compared: `answers` of the model, `offered` tools, and the findings about what a library does.
 */
export async function converse({ node, program, project, servers }) {
  const stage = await setStage(project, servers);
  try {
    const chat = startChat({ node, program, cwd: project, role: 'reader', env: stage.env });
    try {
      return await ask(chat, stage);
    } finally {
      chat.kill();
    }
  } finally {
    await stage.close();
  }
}

/**
 * Which question after Ctrl-C is answered, as `questionsUntil`. In a terminal Ctrl-C reaches each process of the
 * program's group.
 */
export async function pressControlC({ node, program, project, servers }) {
  const stage = await setStage(project, servers);
  const chat = startChat({ node, program, cwd: project, role: 'reader', env: stage.env });
  try {
    const answer = await chat.ask('Read the notes');
    chat.say('Work for a minute');
    await until(async () => (await stage.messages('everything')).includes('trigger-long'));
    chat.interrupt({ all: true });
    await chat.next();
    return await questionsUntil(chat, 'Read the notes', answer);
  } finally {
    chat.kill();
    await stage.close();
  }
}

async function ask(chat, stage) {
  const answers = [await chat.ask('Read the notes'), await chat.ask('What is two and three?')];
  // Without the tools of a library itself, such as one that searches.
  const offered = stage.model.offered().flatMap((name) => /(?:files|memory|everything)__.+/.exec(name) ?? []);
  await chat.ask('Overwrite the notes');
  const mayWrite = (await readFile(stage.notes, 'utf8')) !== noted;
  await chat.ask('Show the image');
  const seesImages = stage.model.images() > 0;
  const found = [];
  for (const [query, wanted] of searches) {
    const names = (await chat.ask(`/find ${query}`)).split(' ');
    found.push(names.some((name) => name.endsWith(wanted)));
  }
  chat.say('Work for a minute');
  await until(async () => (await stage.messages('everything')).includes('trigger-long'));
  chat.interrupt();
  answers.push(await chat.next(), await chat.ask('Read the notes'));
  const cancels = (await stage.messages('everything')).includes('notifications/cancelled');
  const remembered = await chat.ask('What do you remember?');
  const memory = (await stage.pids('memory')).at(-1);
  process.kill(memory, 'SIGKILL');
  await until(() => !isRunning(memory)); // its parent knows
  const afterDeath = await questionsUntil(chat, 'What do you remember?', remembered);
  const exitCode = await chat.end();
  const pids = (await Promise.all(['files', 'memory', 'everything'].map(stage.pids))).flat();
  await until(() => !pids.some(isRunning)).catch(() => undefined);
  const left = pids.filter(isRunning);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return { answers, offered, mayWrite, seesImages, found, cancels, afterDeath, exitCode, left: left.length };
}

const noted = 'Buy milk.\n';

/** Writes `mcp.json` and what the servers work on, and starts the endpoint of the model. */
async function setStage(project, servers) {
  const folder = join(project, 'stage');
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'home'), { recursive: true });
  const notes = join(folder, 'notes.txt');
  await writeFile(notes, noted);
  const recordOf = (name) => join(folder, `${name}.jsonl`);
  const entryOf = ([name, { entry, args }]) => {
    const env = { RECORD_FILE: recordOf(name), MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
    return [name, { command: process.execPath, args: ['--import', recorder, entry, ...args(folder)], env }];
  };
  const mcpServers = Object.fromEntries(Object.entries(servers).map(entryOf));
  await writeFile(join(project, 'mcp.json'), JSON.stringify({ mcpServers }, undefined, 2));
  const model = await startModelEndpoint({
    'Read the notes': { tool: 'files__read_text_file', args: { path: notes } },
    'What is two and three?': { tool: 'everything__get-sum', args: { a: 2, b: 3 } },
    'Overwrite the notes': { tool: 'files__write_file', args: { path: notes, content: 'Nothing.' } },
    'Show the image': { tool: 'everything__get-tiny-image', args: {} },
    'Work for a minute': { tool: 'everything__trigger-long-running-operation', args: { duration: 60, steps: 60 } },
    'What do you remember?': { tool: 'memory__read_graph', args: {} },
  });
  const { PATH } = process.env;
  const home = join(folder, 'home');
  const env = { PATH, HOME: home, USERPROFILE: home, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'of-nobody' };
  const messages = (name) => readFile(recordOf(name), 'utf8');
  const pids = async (name) =>
    [...(await messages(name)).matchAll(/^\{"pid":(\d+)\}$/gm)].map(([, pid]) => Number(pid));
  return { env, notes, model, messages, pids, close: () => model.close() };
}

/** The number of the first question that has this answer again; undefined if none of three has. */
async function questionsUntil(chat, question, answer) {
  for (const number of [1, 2, 3]) if ((await chat.ask(question)) === answer) return number;
  return undefined;
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(holds) {
  const end = performance.now() + waitLimitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not so after ${waitLimitMs} ms: ${holds}`);
    await delay(pollMs);
  }
}
