// A registry of our own, as npm's would look after a release: verdaccio on a free port of the loopback interface.
import { once } from 'node:events';
import { join } from 'node:path';
import { runServer } from 'verdaccio';
import { run } from '../run.mjs';

/**
 * Starts a registry that holds what is published to it and asks no other one. It stores in `folder` and takes everything
 * from everybody, since nobody but this machine can reach it.
 */
export async function startLocalRegistry(folder) {
  const storage = join(folder, 'registry');
  const app = await runServer({
    self_path: storage,
    storage,
    packages: { '**': { access: '$all', publish: '$all' } },
    uplinks: {},
    auth: {},
    web: { enable: false },
    max_body_size: '50mb',
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/`;
  return { url, publish: (packed) => publish(url, packed), close: () => close(server) };
}

/** The command that a release runs for each package, with both ways of saying where to, so that it cannot go elsewhere. */
async function publish(url, { name, tarball }) {
  const to = ['--registry', url, `--config.${scopeOf(name)}:registry=${url}`];
  await run('pnpm', ['publish', tarball, '--no-git-checks', '--no-provenance', '--access', 'public', ...to]);
}

async function close(server) {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** `@x` of `@x/mcp-cli`. */
export function scopeOf(name) {
  return name.slice(0, name.indexOf('/'));
}
