import { strict as assert } from 'node:assert';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveExtension } from '@x/mcp-config-schema/extension';
import { currentPlace, type HostPlace, syncHosts } from '@x/mcp-host-sync';
import { hosts, readFiles, setUpEditors } from './editors.js';
import { useAsEditor } from './host-app.js';

const extensionFolder = fileURLToPath(new URL('../extension', import.meta.url));
const home = await realpath(await mkdtemp(join(tmpdir(), 'extension-to-editors-')));
try {
  await tellStory(home);
} finally {
  await rm(home, { recursive: true, force: true });
}

async function tellStory(home: string): Promise<void> {
  const project = join(home, 'shop');
  await mkdir(project);
  await writeFile(join(project, 'cart.js'), '// TODO: round to cents\n');
  const token = 'tracker-secret-4711';
  const place: HostPlace = { platform: currentPlace().platform, env: { TRACKER_TOKEN: token }, home };
  await setUpEditors(place);
  const before = await readFiles(place);

  console.log('\n1. What the extension brings');
  // #region resolve
  const { servers } = await resolveExtension(extensionFolder, { root: project });
  // #endregion resolve
  console.log(`   ${servers.map(({ name }) => name).join(', ')}, to work on ${project}`);

  console.log('\n2. What would be written, and nothing is yet');
  // #region plan
  const options = { hosts, place, owner: 'todo-finder', stateDirectory: join(home, 'state') };
  const { plan } = await syncHosts(servers, { ...options, dryRun: true });
  for (const { type, server, host, diff } of plan.steps) console.log(`${type} ${server} (${host})\n${diff}`);
  // #endregion plan
  assert.deepEqual(plan.issues, []);
  assert.deepEqual(await readFiles(place), before);

  console.log('3. It is written, and every byte that was there still is');
  const { result } = await syncHosts(servers, options);
  assert.equal(result?.files.length, hosts.length);
  const after = await readFiles(place);
  for (const [index, { file, outcome }] of result.files.entries()) {
    console.log(
      `   ${outcome} ~/${relative(home, file)}: ${onlyAdded(before[index], after[index])} bytes added, none lost`,
    );
  }
  assert.ok(
    after.every((bytes) => !bytes.includes(token)),
    'the value of the token is in no file',
  );

  console.log('\n4. A second run changes nothing');
  const again = await syncHosts(servers, options);
  console.log(`   ${again.plan.steps.map(({ type, host }) => `${type} (${host})`).join(', ')}`);
  assert.deepEqual(again.result?.files, []);
  assert.deepEqual(await readFiles(place), after);

  console.log("\n5. The server starts from each editor's own entry");
  for (const host of hosts) {
    const answer = await useAsEditor(host, place);
    console.log(`   ${host}: ${JSON.stringify(answer)}`);
    assert.deepEqual(answer, { isSignedIn: true, todos: ['cart.js: round to cents'] });
  }

  console.log('\n6. The extension goes, and the files are what they were');
  // #region remove
  await syncHosts([], options);
  // #endregion remove
  assert.deepEqual(await readFiles(place), before);
  console.log('   byte for byte');
}

/** How many bytes were put in, in one piece, between bytes that are all as they were. */
function onlyAdded(before: Buffer | undefined, after: Buffer | undefined): number {
  assert.ok(before && after);
  const start = before.findIndex((byte, index) => byte !== after[index]);
  const rest = start === -1 ? Buffer.of() : before.subarray(start);
  assert.deepEqual(after.subarray(after.length - rest.length), rest);
  return after.length - before.length;
}
