import type { ServerView } from '../../../src/dashboard/page-messages.js';

/** A sign per state, because colour alone must not carry information. */
const signs: Readonly<Record<string, string>> = {
  running: '●',
  degraded: '◐',
  starting: '◌',
  stopping: '◌',
  stopped: '○',
  failed: '✕',
  'not set up': '!',
};

export function StateBadge({ server }: { readonly server: ServerView }) {
  const shown = shownState(server);
  return (
    <span class={`badge badge-${toneOf(shown)}`}>
      <span aria-hidden="true">{signs[shown] ?? '◐'} </span>
      {shown}
    </span>
  );
}

function shownState({ state, health, needs }: ServerView): string {
  if (needs !== undefined && (state === 'stopped' || state === 'failed')) return 'not set up';
  return state === 'running' && health === 'unhealthy' ? 'unhealthy' : state;
}

export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

export function toneOf(state: string): Tone {
  if (state === 'running') return 'good';
  if (state === 'failed') return 'bad';
  return state === 'stopped' ? 'quiet' : 'warn';
}
