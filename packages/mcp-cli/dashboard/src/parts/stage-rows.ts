import type { CallStage, GatewayStages } from '../../../src/dashboard/page-messages.js';

/** Shorter stages of mcpx itself are left out. */
const shortestMs = 0.05;

/** The stages of a call in the order that they are drawn in, those of a gateway after their server. */
export function stageRows(call: GatewayStages): readonly StageRow[] {
  return rowsOf(call, { from: 0, room: call.tookMs, depth: 0 });
}

/** A stage of a call. Times are in milliseconds. */
export interface StageRow extends CallStage {
  readonly isFirst: boolean;
  /** Since the begin of the call. */
  readonly from: number;
  /** By the clock of its gateway. */
  readonly tookMs: number;
  /** Length of its bar. */
  readonly drawnMs: number;
  /** True if the bar is shorter than the stage, because the clock of its gateway counted more than the call took here. */
  readonly isShortened: boolean;
  /** 0: this daemon. */
  readonly depth: number;
}

interface Part {
  readonly from: number;
  readonly room: number;
  readonly depth: number;
}

/** A gateway has a clock of its own, so its stages are put into the middle of its part. */
function rowsOf({ stages, tookMs }: GatewayStages, { from, room, depth }: Part): readonly StageRow[] {
  const scale = tookMs > room ? room / tookMs : 1;
  const begin = from + (room - tookMs * scale) / 2;
  return stages.flatMap((stage, index) => {
    const lastsMs = (stages[index + 1]?.atMs ?? tookMs) - stage.atMs;
    if (stage.stage === 'mcpx' && lastsMs < shortestMs) return [];
    const drawn = { from: begin + stage.atMs * scale, drawnMs: lastsMs * scale, isShortened: scale < 1 };
    const row = { ...stage, ...drawn, isFirst: index === 0, tookMs: lastsMs, depth };
    const part = { from: drawn.from, room: drawn.drawnMs, depth: depth + 1 };
    return [row, ...(stage.gateway ? rowsOf(stage.gateway, part) : [])];
  });
}
