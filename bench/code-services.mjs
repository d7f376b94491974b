// The services of the tasks of bench/code.mjs: five, with fixed data; they keep what a task changes.
import { createRegistry } from '../packages/mcp-registry/dist/index.js';

const text = { type: 'string' };
const number = { type: 'integer' };
const objectOf = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const WORDS = 'the service reads its queue and writes a report when the last worker has finished its batch'.split(' ');
const sentence = (seed, words) =>
  Array.from({ length: words }, (_, n) => WORDS[(seed * 7 + n * 3) % WORDS.length]).join(' ');
const PAGE = 10;

/** @returns A registry with the tools, and what was changed through them. */
export async function openServices() {
  const changes = [];
  const registry = createRegistry();
  const sources = Object.entries(services(changes)).map(([name, tools]) => toSource(name, tools));
  await Promise.all(sources.map((source) => registry.attach(source).ready));
  return { registry, changes };
}

function toSource(name, tools) {
  const listed = Object.entries(tools).map(([tool, { description, takes }]) => ({
    name: tool,
    description,
    inputSchema: objectOf(takes),
  }));
  const callTool = async (tool, args) => {
    const given = tools[tool].run(args);
    const shown = typeof given === 'string' ? given : JSON.stringify(given);
    const content = [{ type: 'text', text: shown }];
    return typeof given === 'string' ? { content } : { content, structuredContent: given };
  };
  return { name, listTools: () => listed, callTool };
}

function services(changes) {
  const change = (what) => {
    changes.push(what);
    return { ok: true };
  };
  const files = new Map(Array.from({ length: 12 }, (_, n) => [`src/part-${n}.ts`, fileText(n)]));
  const page = (all, at) => ({ items: all.slice((at - 1) * PAGE, at * PAGE), pages: Math.ceil(all.length / PAGE) });
  return {
    files: {
      list: { description: 'Lists files', takes: {}, run: () => ({ files: [...files.keys()] }) },
      read: { description: 'Reads a file', takes: { path: text }, run: ({ path }) => files.get(path) },
      write: {
        description: 'Writes a file',
        takes: { path: text, text },
        run: ({ path, text: written }) => {
          files.set(path, written);
          return change({ path, written });
        },
      },
    },
    issues: {
      list: {
        description: 'Lists issues',
        takes: { page: number },
        run: ({ page: at }) => page(ISSUES.map(issueRow), at),
      },
      get: { description: 'Shows an issue', takes: { number }, run: ({ number: wanted }) => ISSUES[wanted - 1] },
      label: {
        description: 'Labels an issue',
        takes: { number, label: text },
        run: ({ number: labelled, label }) => change({ labelled, label }),
      },
      comment: {
        description: 'Comments on an issue',
        takes: { number, body: text },
        run: ({ number: commented, body }) => change({ commented, body }),
      },
    },
    git: {
      log: {
        description: 'Lists commits',
        takes: {},
        run: () => ({ commits: COMMITS.map(({ id, title }) => ({ id, title })) }),
      },
      show: {
        description: 'Shows a commit',
        takes: { id: text },
        run: ({ id }) => COMMITS.find((each) => each.id === id),
      },
    },
    billing: {
      customers: {
        description: 'Lists customers',
        takes: { page: number },
        run: ({ page: at }) => page(CUSTOMERS, at),
      },
      invoices: {
        description: 'Lists invoices of a customer',
        takes: { customer: text },
        run: ({ customer }) => ({ invoices: invoicesOf(customer) }),
      },
      remind: {
        description: 'Sends a reminder',
        takes: { invoice: text },
        run: ({ invoice }) => change({ reminded: invoice }),
      },
    },
    metrics: {
      services: { description: 'Lists services', takes: {}, run: () => ({ services: SERVICES }) },
      latency: {
        description: 'Latency by hour, in milliseconds',
        takes: { service: text },
        run: ({ service }) => latencyOf(service),
      },
    },
  };
}

function fileText(n) {
  const lines = Array.from(
    { length: 12 + (n % 4) * 3 },
    (_, at) => `${at % 5 === n % 5 ? '// TODO ' : ''}${sentence(n + at, 9)}`,
  );
  return [`# Part ${n}`, ...lines, n % 3 === 0 ? 'host: old.example.com' : 'host: new.example.com'].join('\n');
}

const ISSUES = Array.from({ length: 20 }, (_, n) => ({
  number: n + 1,
  title: n % 4 === 1 ? `Crash in part ${n % 8}` : `Wish ${n}: ${sentence(n, 5)}`,
  author: `user-${n % 5}`,
  labels: n % 8 === 1 ? ['crash'] : [],
  created: `2026-0${1 + (n % 9)}-11T10:00:00Z`,
  comments: n % 6,
  body: sentence(n + 3, 70),
}));
const issueRow = ({ body: _, ...row }) => row;

const COMMITS = Array.from({ length: 12 }, (_, n) => ({
  id: `c0ffee${(n + 16).toString(16)}`,
  title: `${n % 3 === 0 ? 'fix' : 'feat'}: ${sentence(n, 6)}`,
  author: `user-${n % 4}`,
  date: `2026-10-${10 + n}T09:00:00Z`,
  files: Array.from({ length: 2 + (n % 3) }, (_, at) => ({
    path: `src/part-${(n + at) % 12}.ts`,
    added: 5 + n + at,
    removed: at,
  })),
  message: sentence(n + 1, 45),
}));

const CUSTOMERS = Array.from({ length: 8 }, (_, n) => ({
  id: `cus-${n}`,
  name: `Customer ${n}`,
  city: ['Bergen', 'Lyon', 'Porto'][n % 3],
  since: `20${10 + n}-03-01`,
}));

function invoicesOf(customer) {
  const seed = Number(customer.slice(4));
  return Array.from({ length: 5 }, (_, n) => ({
    id: `inv-${seed}-${n}`,
    amount: 100 + seed * 13 + n * 7,
    currency: 'EUR',
    due: `2026-1${n % 2}-0${1 + n}`,
    isPaid: (seed + n) % 3 !== 0,
    lines: [sentence(seed + n, 6), sentence(seed + n + 1, 6)],
  }));
}

const SERVICES = ['api', 'auth', 'billing', 'mail', 'search', 'sync', 'upload', 'web'];

function latencyOf(service) {
  const seed = service.length * 17 + service.charCodeAt(0);
  return {
    service,
    hours: Array.from({ length: 24 }, (_, hour) => ({
      hour,
      p50: 20 + ((seed + hour * 5) % 40),
      p95: 90 + ((seed * 3 + hour * 11) % 200),
    })),
  };
}
