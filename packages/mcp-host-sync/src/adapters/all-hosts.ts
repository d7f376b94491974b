import { nearestName } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import { HostFileError } from '../host-error.js';
import * as claude from './claude.js';
import * as editors from './editor-hosts.js';
import type { HostAdapter, HostScope } from './host-adapter.js';
import { byHand } from './hosts-by-hand.js';
import * as hubs from './hub-hosts.js';
import * as opencode from './opencode.js';
import * as plain from './plain-hosts.js';
import * as terminal from './terminal-hosts.js';
import * as vscode from './vscode.js';
import * as yaml from './yaml-hosts.js';

const families = [claude, editors, hubs, opencode, plain, terminal, vscode, yaml];

/** All supported hosts, by id. */
export const allHosts: ReadonlyMap<string, HostAdapter> = new Map(
  families
    .flatMap((adapters) => Object.values<HostAdapter>(adapters))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((adapter) => [adapter.id, adapter]),
);

/** Common short names. */
const familyAliases: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  jetbrains: 'junie',
  kimi: 'kimi-code',
  // The plugin of Neovim starts mcp-hub.
  mcphub: 'mcp-hub',
  neovim: 'mcp-hub',
  vibe: 'mistral-vibe',
};

/**
 * Finds a host by id, or by family (`cursor`) or short name (`claude`) and scope. A family with a single file ignores
 * the scope.
 *
 * @throws {HostFileError} `unknown-host`
 */
export function findHost(name: string, scope: HostScope = 'user'): HostAdapter {
  const exact = allHosts.get(name);
  if (exact !== undefined) return exact;

  const family = Object.hasOwn(familyAliases, name) ? familyAliases[name] : name;
  const members = [...allHosts.values()].filter((adapter) => adapter.family === family);
  const member = members.length === 1 ? members[0] : members.find((adapter) => adapter.scope === scope);
  if (member !== undefined) return member;
  if (members.length > 0) {
    const known = members.map((adapter) => adapter.id).join(', ');
    throw new HostFileError('unknown-host', `${quoted(name)} has no file with the scope "${scope}", only ${known}`);
  }
  const advice = byHand(name);
  if (advice !== undefined) {
    const message = `${quoted(name)} has no file that other programs should write. To use your servers there, ${advice}`;
    throw new HostFileError('unknown-host', message);
  }
  const families = [...allHosts.values()].map((adapter) => adapter.family);
  const didYouMean = nearestName(name, [...allHosts.keys(), ...families, ...Object.keys(familyAliases)]);
  const hint = didYouMean === undefined ? 'listHosts() returns all of them' : `did you mean "${didYouMean}"?`;
  throw new HostFileError('unknown-host', `${quoted(name)} is not a supported host: ${hint}`);
}
