import type { CallStage } from '../../../src/dashboard/page-messages.js';
import { ForeignText } from './foreign-text.js';

interface WaterfallProps {
  readonly stages: readonly CallStage[];
  readonly tookMs: number;
}

/** Shorter stages of mcpx itself are left out. */
const shortestMs = 0.05;

/** The stages of a call, one below the other, each from its begin to its end. */
export function Waterfall({ stages, tookMs }: WaterfallProps) {
  const rows = stages
    .map((stage, index) => ({
      ...stage,
      isFirst: index === 0,
      tookMs: (stages[index + 1]?.atMs ?? tookMs) - stage.atMs,
    }))
    .filter((row) => row.stage !== 'mcpx' || row.tookMs >= shortestMs);
  return (
    <ol class="waterfall" aria-label="Stages of the call">
      {rows.map((row, index) => (
        <li key={index}>
          <span>
            <ForeignText text={labelOf(row)} />
          </span>
          <svg aria-hidden="true">
            <rect
              class={`stage-${row.stage}`}
              x={percent(row.atMs, tookMs)}
              width={percent(Math.max(row.tookMs, tookMs / 300), tookMs)}
              height="100%"
            />
          </svg>
          <span class="figure">{milliseconds(row.tookMs)}</span>
        </li>
      ))}
    </ol>
  );
}

function labelOf({ stage, isFirst, transport, host }: CallStage & { readonly isFirst: boolean }): string {
  switch (stage) {
    case 'mcpx':
      return isFirst ? 'checks, approvals' : 'checks of the result';
    case 'queue':
      return 'waits for a turn';
    case 'start':
      return 'start of the server';
    case 'server':
      return ['server', [transport, host].filter(Boolean).join(', ')].filter(Boolean).join(': ');
    case 'lost':
      return 'connection lost';
  }
}

function percent(part: number, whole: number): string {
  return `${whole > 0 ? Math.min(100, (part / whole) * 100).toFixed(2) : 0}%`;
}

function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
