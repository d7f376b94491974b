import { findHost } from '../../src/adapters/all-hosts.js';
import type { HostPlatform } from '../../src/adapters/host-adapter.js';
import { type HostDocument, planSync, type SyncInput, type SyncPlan } from '../../src/index.js';
import { noOwnership, type Ownership, withFile } from '../../src/sync/ownership.js';

/** A host's file and its record at one time. A plan produces the next state. */
export interface Moment {
  readonly host: string;
  /** Missing if there is no file. */
  readonly text: string | undefined;
  readonly ownership: Ownership;
}

export function moment(host: string, text?: string): Moment {
  return { host, text, ownership: noOwnership };
}

/** The document of this state's file. */
export function documentOf({ host, text }: Moment, platform?: HostPlatform): HostDocument {
  const { paths, scope } = findHost(host);
  const [known = 'linux'] = (['linux', 'darwin', 'win32'] as const).filter((name) => paths[name] !== undefined);
  const inside = scope === 'project' ? '/srv/app' : '/home/ann';
  const document = { host, file: `${inside}/${host}`, inside, platform: platform ?? known, project: '/srv/app' };
  return text === undefined ? document : { ...document, text };
}

/** Plans and applies without a disk. */
export function sync(
  before: Moment,
  ours: SyncInput['ours'],
  options: Omit<SyncInput, 'ours' | 'theirs' | 'ownership'> & { readonly platform?: HostPlatform } = {},
): { readonly plan: SyncPlan; readonly after: Moment } {
  const theirs = [documentOf(before, options.platform)];
  const plan = planSync({ ...options, ours, theirs, ownership: before.ownership });
  let { text, ownership } = before;
  for (const { file, effect, content } of plan.files) {
    const { text: written, done } = content.open();
    if (effect === 'write') text = written;
    if (effect === 'delete') text = undefined;
    ownership = withFile(ownership, file, done);
  }
  return { plan, after: { host: before.host, text, ownership } };
}

export function typesOf({ steps }: SyncPlan): readonly string[] {
  return steps.map((step) => `${step.type} ${step.server}`);
}
