// biome-ignore-all lint/suspicious/noExplicitAny: programs without types make these mistakes.
import { documentedMistakes, type Mistake, outcomeOf } from '@x/test-servers';
import { expect, test } from 'vitest';
import {
  applySync,
  currentPlace,
  detectHosts,
  hostPaths,
  planSync,
  readHost,
  readHostDocuments,
  readOwnership,
  syncHosts,
} from '../src/index.js';
import { type TemporaryMachine, temporaryMachine } from './helpers/temporary-machine.js';

const anything = (value: unknown): any => value;
const files = { name: 'files', transport: 'stdio', command: 'files-mcp' } as const;

/** A sync on a machine of its own. */
async function sync(servers: unknown, given: unknown = {}): Promise<any> {
  const { place, stateDirectory } = await temporaryMachine();
  const options = typeof given === 'object' ? { hosts: ['cursor-project'], place, stateDirectory, ...given } : given;
  return { returned: await syncHosts(anything(servers), anything(options)) };
}

async function on(run: (machine: TemporaryMachine) => unknown): Promise<any> {
  return { returned: await run(await temporaryMachine()) };
}

const mistakes: Readonly<Record<string, Mistake>> = {
  'syncHosts({ files: { command } }, options), servers by name': () => sync({ files: { command: 'files-mcp' } }),
  'syncHosts(config, options)': () => sync({ servers: [files] }),
  'syncHosts(loadConfig(), options) without await': () => sync(Promise.resolve([files])),
  'syncHosts([{ name, command }], options) without transport': () => sync([{ name: 'files', command: 'files-mcp' }]),
  'syncHosts([{ …, transport: "streamable-http" }], options)': () =>
    sync([{ name: 'web', transport: 'streamable-http', url: 'https://example.com/mcp' }]),
  'syncHosts([{ name, transport, comand }], options)': () => sync([{ name: 'files', transport: 'stdio', comand: 'x' }]),
  'syncHosts([{ …, args: "-y files-mcp" }], options)': () => sync([{ ...files, args: '-y files-mcp' }]),
  'syncHosts([{ …, env: ["LEVEL=debug"] }], options)': () => sync([{ ...files, env: ['LEVEL=debug'] }]),
  'syncHosts([{ …, env: { PORT: 8080 } }], options)': () => sync([{ ...files, env: { PORT: 8080 } }]),
  'syncHosts(["files"], options)': () => sync(['files']),
  'syncHosts([files, files], options)': () => sync([files, files]),
  'syncHosts(servers) without options': async () => ({ returned: await syncHosts([files], anything(undefined)) }),
  'syncHosts(servers, ["cursor"])': async () => ({ returned: await syncHosts([files], anything(['cursor'])) }),
  'syncHosts(servers, { hosts: "cursor" })': () => sync([files], { hosts: 'cursor' }),
  'syncHosts(servers, { host: ["cursor"] })': () => sync([files], { hosts: undefined, host: ['cursor'] }),
  'syncHosts(servers, { hosts: ["curser"] })': () => sync([files], { hosts: ['curser'] }),
  'syncHosts(servers, { hosts, dryrun: true })': () => sync([files], { dryrun: true }),
  'syncHosts(servers, { hosts, dryRun: "yes" })': () => sync([files], { dryRun: 'yes' }),
  'syncHosts(servers, { hosts: ["cursor-project"] }) without a project': async () => {
    const { place, stateDirectory } = await temporaryMachine();
    return sync([files], { place: { ...place, project: undefined }, stateDirectory });
  },
  'syncHosts(servers, { hosts, place: "/srv/app" })': () => sync([files], { place: '/srv/app' }),
  'syncHosts(servers, { hosts, place: { project } })': () => sync([files], { place: { project: '/srv/app' } }),
  'syncHosts(servers, { hosts, place: currentPlace({ project: "app" }) })': () =>
    sync([files], { place: currentPlace({ project: 'app' }) }),
  'syncHosts(servers, { hosts, stateDir: "…" })': () => sync([files], { stateDir: '/tmp/state' }),
  'syncHosts(servers, { hosts, projectSecrets: true })': () => sync([files], { projectSecrets: true }),
  'syncHosts(servers, { hosts, writeSecrets: true })': () => sync([files], { writeSecrets: true }),
  'syncHosts(servers, { hosts, timeoutMs: "10s" })': () => sync([files], { timeoutMs: '10s' }),
  'syncHosts(servers, { hosts, signal: controller })': () => sync([files], { signal: new AbortController() }),
  'syncHosts(servers, { hosts, backups: true })': () => sync([files], { backups: true }),
  'syncHosts(servers, readOptions()) of an async function': async () => ({
    returned: await syncHosts([files], anything(Promise.resolve({ hosts: [] }))),
  }),
  'currentPlace("/srv/app")': () => ({ returned: currentPlace(anything('/srv/app')) }),
  'currentPlace({ root: "/srv/app" })': () => ({ returned: currentPlace(anything({ root: '/srv/app' })) }),
  'hostPaths("curser", place)': () => ({ returned: hostPaths('curser', currentPlace()) }),
  'hostPaths("cursor") without a place': () => ({ returned: hostPaths('cursor', anything(undefined)) }),
  'detectHosts("/srv/app")': async () => ({ returned: await detectHosts(anything('/srv/app')) }),
  'readHost("curser")': async () => ({ returned: await readHost('curser') }),
  'readHost(["cursor"])': async () => ({ returned: await readHost(anything(['cursor'])) }),
  'readHost("cursor", { project })': async () => ({
    returned: await readHost('cursor', anything({ project: '/srv/app' })),
  }),
  'readHost("cursor", place, { allowedPlace: ["/srv"] })': () =>
    on(({ place }) => readHost('cursor', place, anything({ allowedPlace: ['/srv'] }))),
  'readHostDocuments("cursor")': async () => ({ returned: await readHostDocuments(anything('cursor')) }),
  'readHostDocuments(hosts, { purpose: "write" })': () =>
    on(({ place }) => readHostDocuments(['cursor-project'], { place, purpose: anything('write') })),
  'readOwnership({ stateDirectorys: "…" })': async () => ({
    returned: await readOwnership(anything({ stateDirectorys: '/tmp/state' })),
  }),
  'planSync(servers, documents)': () => ({ returned: anything(planSync)([files], []) }),
  'planSync({ ours, theirs: readHostDocuments(…) }) without await': () => ({
    returned: planSync({ ours: [files], theirs: anything(Promise.resolve([])) }),
  }),
  'planSync({ ours, theirs, forced: true })': () => ({
    returned: planSync(anything({ ours: [files], theirs: [], forced: true })),
  }),
  'applySync(syncHosts(…)) without await': async () => ({
    returned: await applySync(anything(Promise.resolve({ files: [] }))),
  }),
  'applySync({ plan })': async () => ({ returned: await applySync(anything({ plan: { files: [] } })) }),
};

const page = documentedMistakes(new URL('../../../docs/decisions/misuse.md', import.meta.url), 'Host sync');

test('the page has a row for each mistake', () => {
  expect(Object.keys(mistakes)).toEqual(Array.from(page.keys()));
});

for (const [written, mistake] of Object.entries(mistakes)) {
  test(written, async () => expect(await outcomeOf(mistake)).toBe(page.get(written)));
}

test('nothing is written by a call that throws', async () => {
  const { tree, place, stateDirectory } = await temporaryMachine();
  const options = { hosts: ['cursor-project'], place, stateDirectory, dryrun: true };
  await expect(syncHosts([files], options)).rejects.toThrow(TypeError);
  expect(await tree()).toEqual(['app/', 'home/']);
});
