import { findHost } from '../../src/adapters/all-hosts.js';
import type { HostPlatform } from '../../src/adapters/host-adapter.js';
import { documentLayout } from '../../src/entry/entry-form.js';
import { readEntry } from '../../src/entry/read-entry.js';
import { type WrittenEntry, writeEntry } from '../../src/entry/write-entry.js';
import type { HostIssue, HostServer } from '../../src/index.js';

export interface RoundTripOptions {
  readonly platform?: HostPlatform;
  readonly bridgeRemote?: boolean;
  readonly writeSecrets?: Readonly<Record<string, string>>;
}

export function written(host: string, server: HostServer, options: RoundTripOptions = {}): WrittenEntry {
  const adapter = findHost(host);
  const { form } = documentLayout(adapter, '', { platform: 'linux', project: '/srv/app' });
  return writeEntry(server, adapter, form, { platform: 'linux', ...options });
}

export function read(
  host: string,
  name: string,
  entry: unknown,
  platform: HostPlatform = 'linux',
): { server: HostServer | undefined; issues: readonly HostIssue[] } {
  const adapter = findHost(host);
  const { form } = documentLayout(adapter, '', { platform: 'linux', project: '/srv/app' });
  return readEntry(name, entry as never, adapter, form, platform);
}

export function codesOf(issues: readonly HostIssue[]): readonly string[] {
  return issues.map((issue) => issue.code);
}
