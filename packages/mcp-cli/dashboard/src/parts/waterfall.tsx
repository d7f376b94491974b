import type { GatewayStages } from '../../../src/dashboard/page-messages.js';
import { ForeignText } from './foreign-text.js';
import { type StageRow, stageRows } from './stage-rows.js';

/** The stages of a call, one below the other, each from its begin to its end; those of gateways below their server. */
export function Waterfall(call: GatewayStages) {
  const { tookMs } = call;
  const rows = stageRows(call);
  return (
    <>
      <ol class="waterfall" aria-label="Stages of the call">
        {rows.map((row, index) => (
          <li key={index} class={row.depth > 0 ? 'inside' : undefined}>
            <span>
              {row.depth > 0 && `${'↳ '.repeat(row.depth)}gateway: `}
              <ForeignText text={labelOf(row)} maxLength={300} />
            </span>
            <svg aria-hidden="true">
              <rect
                class={`stage-${row.stage}`}
                x={percent(row.from, tookMs)}
                width={percent(Math.max(row.drawnMs, tookMs / 300), tookMs)}
                height="100%"
              />
            </svg>
            <span class="figure">
              {milliseconds(row.tookMs)}
              {row.isShortened && '*'}
            </span>
          </li>
        ))}
      </ol>
      {rows.some(({ isShortened }) => isShortened) && (
        <p class="note">
          * By the clock of the gateway, which counts more than there was room for: its bars are drawn shorter.
        </p>
      )}
    </>
  );
}

function labelOf({ stage, isFirst, transport, host, server, depth }: StageRow): string {
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
