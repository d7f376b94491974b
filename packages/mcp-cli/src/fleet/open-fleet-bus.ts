import type { FleetBus } from '@x/mcp-fleet';
import { type NatsBusOptions, openNatsBus } from '@x/mcp-fleet/nats';
import { readPrivateFile } from '../serving/private-file.js';
import type { Login, Membership } from './membership.js';

const maxSecretBytes = 64 * 1_024;

/**
 * Opens the bus of a fleet with the current secrets of the membership's files.
 *
 * @param options.mustConnect - `true` fails when no server can be reached or accepts this node. Otherwise it keeps
 * trying.
 * @throws {UsageError} A secret's file cannot be read, or others may read it.
 * @throws {TypeError} An address is invalid.
 * @throws {FleetError} As `openNatsBus`.
 */
export async function openFleetBus(
  { login, ...connection }: Membership,
  { mustConnect, signal }: { readonly mustConnect: boolean; readonly signal: AbortSignal },
): Promise<FleetBus> {
  const secrets = await loginOptions(login);
  return openNatsBus({ ...connection, ...secrets, mustConnect, signal });
}

async function loginOptions(login: Login): Promise<Partial<NatsBusOptions>> {
  switch (login.kind) {
    case 'none':
      return {};
    case 'credentials':
      await readSecret(login.file, 'The credentials file'); // the bus reads it again with each connection
      return { credentialsFile: login.file };
    case 'password':
      return { user: login.user, password: await readSecret(login.file, 'The password file') };
    case 'token':
      return { token: await readSecret(login.file, 'The token file') };
    case 'nkey':
      return { nkeySeed: await readSecret(login.file, 'The NKey file') };
  }
}

/** Without the final line end that editors add. */
async function readSecret(path: string, what: string): Promise<string> {
  return (await readPrivateFile(path, { what, maxBytes: maxSecretBytes })).trim();
}
