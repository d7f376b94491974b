import type { CallStage, GatewayStages } from '../../../src/dashboard/page-messages.js';
import { ForeignText } from './foreign-text.js';

interface WaterfallProps {
  readonly stages: readonly CallStage[];
  readonly tookMs: number;
}

/** Shorter stages of mcpx itself are left out. */
const shortestMs = 0.05;

/** The stages of a call, one below the other, each from its begin to its end; those of gateways below their server. */
export function Waterfall({ stages, tookMs }: WaterfallProps) {
  return (
    <ol class="waterfall" aria-label="Stages of the call">
      {rowsOf({ stages, tookMs }, { from: 0, room: tookMs, depth: 0 }).map((row, index) => (
        <li key={index} class={row.depth > 0 ? 'inside' : undefined}>
          <span>
            {row.depth > 0 && `${'↳ '.repeat(row.depth)}gateway: `}
            <ForeignText text={labelOf(row)} maxLength={300} />
          </span>
          <svg aria-hidden="true">
            <rect
              class={`stage-${row.stage}`}
              x={percent(row.from, tookMs)}
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

interface Row extends CallStage {
  readonly isFirst: boolean;
  /** Since the begin of the call. */
  readonly from: number;
  readonly tookMs: number;
  readonly depth: number;
}

interface Part {
  readonly from: number;
  readonly room: number;
  /** 0: this daemon. */
  readonly depth: number;
}

/** A gateway has a clock of its own, so its stages are put into the middle of its part. */
function rowsOf({ stages, tookMs }: GatewayStages, { from, room, depth }: Part): readonly Row[] {
  const scale = tookMs > room ? room / tookMs : 1;
  const begin = from + (room - tookMs * scale) / 2;
  return stages.flatMap((stage, index) => {
    const lastsMs = (stages[index + 1]?.atMs ?? tookMs) - stage.atMs;
    if (stage.stage === 'mcpx' && lastsMs < shortestMs) return [];
    const row = { ...stage, isFirst: index === 0, from: begin + stage.atMs * scale, tookMs: lastsMs, depth };
    const part = { from: row.from, room: lastsMs * scale, depth: depth + 1 };
    return [row, ...(stage.gateway ? rowsOf(stage.gateway, part) : [])];
  });
}

function labelOf({ stage, isFirst, transport, host, server, depth }: Row): string {
  switch (stage) {
    case 'mcpx':
      return isFirst ? 'checks, approvals' : 'checks of the result';
    case 'queue':
      return depth > 0 && server !== undefined ? `waits for a turn at ${server}` : 'waits for a turn';
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
