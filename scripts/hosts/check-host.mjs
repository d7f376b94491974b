// One file of one host, from the first sync to the last: start, rewrite by the host, update, import, removal.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { listHosts, readHost, syncHosts } from '../../packages/mcp-host-sync/dist/index.js';
import { freePort } from '../free-port.mjs';
import { runHost } from './run-host.mjs';
import { hostCases, ownEntry, variable } from './servers.mjs';
import { openWebProbe } from './web-probe.mjs';

/** @returns {Promise<string[]>} The facts of the adapter that the program has shown. */
export async function checkHost({ program, installed, host, folder, report }) {
  const web = await openWebProbe();
  const check = (what, body) => report.check(`${program.name} ${installed.version}, ${host}: ${what}`, body);
  const shown = new Set();
  try {
    const life = await beginLife({ program, installed, host, folder, web });
    const cases = hostCases({ log: life.log, web: web.url, folder: life.inner });
    const written = await check('sync', () => life.sync(cases.map(({ server }) => server)));
    if (written === undefined) return [];
    if (program.approve !== undefined && life.scope !== 'user') await life.command(program.approve);
    const wrong = await startAndCompare(life, cases, written.plan, check);
    for (const fact of factsWithout(wrong, cases, written.plan, program)) shown.add(fact);
    await restOfLife(life, cases, { program, check, shown });
    return [...shown];
  } finally {
    web.close();
  }
}

async function beginLife({ program, installed, host, folder, web }) {
  const [home, project, state] = ['home', 'project', 'state'].map((name) => join(folder, name));
  const inner = join(project, 'a folder');
  await mkdir(home, { recursive: true });
  await mkdir(inner, { recursive: true });
  const more = (await program.prepare?.({ home, project, web: web.url })) ?? {};
  const env = {
    PATH: installed.path,
    HOME: home,
    TERM: 'dumb',
    NO_COLOR: '1',
    [variable.name]: variable.value,
    ...more,
  };
  const { scope } = listHosts().find(({ id }) => id === host);
  const place = { platform: process.platform, env: {}, home, ...(scope !== 'user' && { project }) };
  const port = String(await freePort());
  const runWith = (words, options) => {
    const filled = words.map((word) => word.replace('{home}', home).replace('{port}', port));
    return runHost(installed.file, filled, { cwd: project, env, ...options });
  };
  return {
    ...{ host, scope, inner, web, proves: program.proves, log: join(folder, 'starts.jsonl') },
    own: ownEntry(join(folder, 'own.jsonl')),
    sync: async (servers, options = {}) => {
      const how = { hosts: [host], place, stateDirectory: state, projectSecrets: 'write', ...options };
      return syncHosts(servers, how);
    },
    read: () => readHost(host, place),
    start: (isDone) => runWith(program.run, { staysFor: program.staysFor, isDone }),
    command: (words) => runWith(words, {}),
  };
}

/** @returns {Promise<Set<string>>} Names of the cases that did not start, or are not listed, as meant. */
async function startAndCompare(life, cases, plan, check) {
  const refused = refusedIn(plan);
  const expected = cases.filter(({ server, off }) => !refused.has(server.name) && off !== true);
  let output = '';
  const ran = await check('its command runs', async () => {
    output = await life.start(async () => {
      const names = await startedNames(life);
      return expected.every(({ server }) => names.has(server.name));
    });
    return true;
  });
  if (ran === undefined) return new Set(cases.map(({ server }) => server.name));
  const wrong = new Set();
  for (const each of cases) {
    const { name } = each.server;
    if (refused.has(name) || !isShown(each, life.proves)) continue;
    const found = await check(name, async () => {
      if (life.proves === 'lists') requireListed(each, output);
      else await requireStarted(each, life, output);
      return true;
    });
    if (found === undefined) wrong.add(name);
  }
  return wrong;
}

/** A list shows entries as they stand in the file, so it says nothing about variables, directories and switches. */
function isShown({ facts, off }, proves) {
  if (proves !== 'lists') return proves === 'starts';
  return off !== true && !facts.includes('variables') && !facts.includes('cwd');
}

/** Servers that are left out, or written with a warning that the host changes them. */
function refusedIn({ issues }) {
  return new Set(issues.flatMap(({ server }) => server ?? []));
}

async function startsIn(log) {
  const text = await readFile(log, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function startedNames({ log, web }) {
  const starts = await startsIn(log);
  return new Set([...starts, ...web.requests].map(({ name }) => name));
}

async function requireStarted({ server, args, env, cwd, headers, off }, { log, web }, output) {
  const { name, transport } = server;
  const all = transport === 'stdio' ? await startsIn(log) : web.requests;
  const found = all.filter((each) => each.name === name);
  if (off === true) {
    if (found.length > 0) throw new Error('it was started, although it is off');
    return;
  }
  const [start] = found;
  if (start === undefined) throw new Error(`it was not started\n${output.slice(-300)}`);
  const expected = transport === 'stdio' ? { args, env, cwd } : { transport, headers };
  for (const [field, value] of Object.entries(expected)) {
    if (value === undefined) continue;
    const actual = field === 'env' || field === 'headers' ? picked(start[field], value) : start[field];
    if (!isDeepStrictEqual(actual, value)) {
      throw new Error(`${field}: expected ${JSON.stringify(value)}, got ${JSON.stringify(start[field])}`);
    }
  }
}

function picked(values, wanted) {
  return Object.fromEntries(Object.keys(wanted).flatMap((key) => (key in values ? [[key, values[key]]] : [])));
}

function requireListed({ server, args = [], env = {}, headers = {} }, output) {
  const texts = [
    server.name,
    ...args,
    ...Object.values(env),
    ...Object.values(headers),
    ...(server.url ? [server.url] : []),
  ];
  const missing = texts.filter((text) => !output.includes(text) && !output.includes(JSON.stringify(text).slice(1, -1)));
  if (missing.length > 0) throw new Error(`its list lacks ${JSON.stringify(missing)}\n${output.slice(0, 300)}`);
}

/** A fact is shown if none of its cases went wrong and one was written. */
function factsWithout(wrong, cases, plan, { proves }) {
  const refused = refusedIn(plan);
  const facts = new Set(cases.flatMap((each) => each.facts));
  return [...facts].filter((fact) => {
    const own = cases.filter((each) => each.facts.includes(fact) && !refused.has(each.server.name));
    return own.some((each) => isShown(each, proves)) && own.every(({ server }) => !wrong.has(server.name));
  });
}

async function restOfLife(life, cases, { program, check, shown }) {
  if (program.fillsOnRewrite) {
    cases = cases.filter(({ facts }) => !facts.includes('variables'));
    await life.sync(cases.map(({ server }) => server));
  }
  const servers = cases.map(({ server }) => server);
  const prove = async (fact, body) => {
    const isShown = await check(fact, async () => {
      await body();
      return true;
    });
    if (isShown) shown.add(fact);
  };
  let hasOwn = false;
  if (program.add !== undefined && life.scope === 'user') {
    await prove('rewrite', async () => {
      await life.command(program.add(life.own));
      hasOwn = true;
      const { plan } = await life.sync(servers, { dryRun: true });
      const changed = plan.steps.filter(({ type }) => type !== 'keep');
      if (changed.length > 0) throw new Error(`a sync would ${changed.map((step) => `${step.type} ${step.server}`)}`);
    });
  }
  await prove('import', async () => {
    const reading = await life.read();
    const read = new Map(reading.servers.map((server) => [server.name, server]));
    if (hasOwn) requireSame('own', { command: life.own.words[0], args: life.own.words.slice(1) }, read.get('own'));
    const { plan } = await life.sync(servers, { dryRun: true });
    const refused = refusedIn(plan);
    for (const { server, off } of cases) {
      if (refused.has(server.name) || plan.steps.every((step) => step.server !== server.name)) continue;
      const { name, transport, url, command, args, env, cwd, headers } = server;
      const found = read.get(name);
      // Without a field for it, the host itself finds out which of the two a server speaks.
      const detected = transport === 'sse' && found?.transport === 'http' ? 'http' : transport;
      requireSame(name, { transport: detected, url, command, args, env, cwd, headers, enabled: off !== true }, found);
    }
  });
  // The host's own command wrote into the file that is read here.
  if (hasOwn && shown.has('import')) shown.add('place');
  await prove('update', async () => {
    const changed = servers.map((server) =>
      server.name === 'plain'
        ? { ...server, args: server.args.map((word) => (word === 'one' ? 'two' : word)) }
        : server,
    );
    const { plan } = await life.sync(changed);
    const steps = plan.steps.filter(({ type }) => type !== 'keep').map((step) => `${step.type} ${step.server}`);
    if (!isDeepStrictEqual(steps, ['change plain'])) throw new Error(`expected one change, got ${steps}`);
    const read = await life.read();
    if (read.servers.find(({ name }) => name === 'plain')?.args.at(-1) !== 'two')
      throw new Error('it is not in the file');
  });
  await prove('removal', async () => {
    await life.sync([]);
    const { servers: left } = await life.read();
    const names = left.map(({ name }) => name);
    if (!isDeepStrictEqual(names, hasOwn ? ['own'] : [])) throw new Error(`the file still has ${names}`);
  });
}

function requireSame(name, wanted, actual) {
  if (actual === undefined) throw new Error(`${name} is not read`);
  for (const [field, value] of Object.entries(wanted)) {
    if (value === undefined || isEmpty(value)) continue;
    if (!isDeepStrictEqual(actual[field], value)) {
      throw new Error(`${name}: ${field} is read as ${JSON.stringify(actual[field])}, not ${JSON.stringify(value)}`);
    }
  }
}

function isEmpty(value) {
  return typeof value === 'object' && Object.keys(value).length === 0;
}
