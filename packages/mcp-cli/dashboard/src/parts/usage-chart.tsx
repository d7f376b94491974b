import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { UsagePoint, UsageReport } from '../../../src/dashboard/page-messages.js';
import { counted, formatDuration, formatMinute, formatRate, formatTime } from '../format.js';

const width = 600;
const height = 120;

/** Calls with their errors, and durations, over one span. The same figures follow as a table. */
export function UsageCharts({ report, clockAheadMs }: { readonly report: UsageReport; readonly clockAheadMs: number }) {
  const [pointed, setPointed] = useState<number>();
  const [isOpen, setOpen] = useState(false);
  const { points } = report;
  const times = points.map((_, index) => slotTime(report, index, clockAheadMs));
  const charts = { points, times, pointed, onPoint: setPointed };
  return (
    <>
      <div class="charts">
        <CallsChart {...charts} slotMs={report.slotMs} />
        <DurationsChart {...charts} />
      </div>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>The charts as a table</summary>
        {isOpen && <PointsTable points={points} times={times} />}
      </details>
    </>
  );
}

interface ChartProps {
  readonly points: readonly UsagePoint[];
  readonly times: readonly string[];
  /** Index of the slot under the pointer. */
  readonly pointed: number | undefined;
  readonly onPoint: (index: number | undefined) => void;
}

function CallsChart({ points, slotMs, ...props }: ChartProps & { readonly slotMs: number }) {
  const top = niceTop(Math.max(...points.map(({ calls }) => calls)));
  const step = width / points.length;
  const bar = (count: number, index: number, kind: string, from = 0) =>
    count > 0 && (
      <rect
        class={kind}
        x={index * step + step * 0.1}
        width={step * 0.8}
        y={height - ((from + count) / top) * height}
        height={(count / top) * height}
      />
    );
  const calls = points.reduce((sum, point) => sum + point.calls, 0);
  const errors = points.reduce((sum, point) => sum + point.errors, 0);
  return (
    <Frame
      {...props}
      points={points}
      title="Calls"
      top={`${formatRate((top * 60_000) / slotMs)}/min`}
      label={`Calls over time: ${countsIn({ calls, errors })}`}
      read={countsIn}
      legend={[
        ['bar-ok', 'ok'],
        ['bar-error', 'error'],
      ]}
    >
      {points.map(({ calls: all, errors: failed }, index) => (
        <>
          {bar(failed, index, 'bar-error')}
          {bar(all - failed, index, 'bar-ok', failed)}
        </>
      ))}
    </Frame>
  );
}

function DurationsChart({ points, ...props }: ChartProps) {
  const top = niceTop(Math.max(...points.map(({ p95Ms = 0 }) => p95Ms)));
  const latest = points.findLast(({ calls }) => calls > 0);
  return (
    <Frame
      {...props}
      points={points}
      title="Duration"
      top={formatDuration(top)}
      label={`Durations over time${latest ? `: ${durationsIn(latest)} last` : ''}`}
      read={durationsIn}
      legend={[
        ['line-p95', 'p95'],
        ['line-p50', 'p50'],
      ]}
    >
      <Line values={points.map(({ p95Ms }) => p95Ms)} top={top} kind="line-p95" />
      <Line values={points.map(({ p50Ms }) => p50Ms)} top={top} kind="line-p50" />
    </Frame>
  );
}

/** A line with gaps where there is no value. A value alone is a short line. */
function Line({
  values,
  top,
  kind,
}: {
  readonly values: readonly (number | undefined)[];
  readonly top: number;
  readonly kind: string;
}) {
  const step = width / values.length;
  const path = values.map((value, index) => {
    if (value === undefined) return '';
    const x = (index + 0.5) * step;
    const y = (height - (value / top) * (height - 4)).toFixed(1);
    const isFirst = values[index - 1] === undefined;
    const isAlone = isFirst && values[index + 1] === undefined;
    return `${isFirst ? 'M' : 'L'}${(isAlone ? x - step / 2 : x).toFixed(1)} ${y}${isAlone ? `h${step.toFixed(1)}` : ''}`;
  });
  return <path class={`line ${kind}`} d={path.join('')} vector-effect="non-scaling-stroke" />;
}

interface FrameProps extends ChartProps {
  readonly title: string;
  /** Text of the highest value of the axis. */
  readonly top: string;
  readonly label: string;
  /** The figures of a slot as text. */
  readonly read: (point: UsagePoint) => string;
  readonly legend: readonly (readonly [kind: string, label: string])[];
  readonly children: ComponentChildren;
}

function Frame({ points, times, pointed, onPoint, title, top, label, read, legend, children }: FrameProps) {
  const step = width / points.length;
  const shown = pointed === undefined ? undefined : points[pointed];
  const point = ({ currentTarget, clientX }: PointerEvent & { readonly currentTarget: Element }) => {
    const box = currentTarget.getBoundingClientRect();
    const index = Math.floor(((clientX - box.left) / box.width) * points.length);
    onPoint(Math.min(Math.max(index, 0), points.length - 1));
  };
  return (
    <figure class="usage-chart">
      <figcaption>
        <strong>{title}</strong>
        {legend.map(([kind, text]) => (
          <span key={kind} class={`key ${kind}`}>
            {text}
          </span>
        ))}
        <span class="note">{top}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        onPointerMove={point}
        onPointerLeave={() => onPoint(undefined)}
      >
        {[0, 0.5, 1].map((part) => (
          <line
            class="grid"
            x1="0"
            x2={width}
            y1={part * height}
            y2={part * height}
            vector-effect="non-scaling-stroke"
          />
        ))}
        {pointed !== undefined && <rect class="pointed" x={pointed * step} width={step} y="0" height={height} />}
        {children}
      </svg>
      <p class="axis">
        <span>{times[0]}</span>
        {shown && <strong>{`${times[pointed ?? 0]}: ${read(shown)}`}</strong>}
        <span>now</span>
      </p>
    </figure>
  );
}

function PointsTable({ points, times }: Pick<ChartProps, 'points' | 'times'>) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">From</th>
          {['Calls', 'Errors', 'p50', 'p95'].map((name) => (
            <th key={name} scope="col" class="figure">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {points
          .map(({ calls, errors, p50Ms, p95Ms }, index) => (
            <tr key={times[index]}>
              <td>{times[index]}</td>
              <td class="figure" data-label="Calls">
                {calls}
              </td>
              <td class="figure" data-label="Errors">
                {errors}
              </td>
              <td class="figure" data-label="p50">
                {durationText(p50Ms)}
              </td>
              <td class="figure" data-label="p95">
                {durationText(p95Ms)}
              </td>
            </tr>
          ))
          .toReversed()}
      </tbody>
    </table>
  );
}

function countsIn({ calls, errors }: UsagePoint): string {
  return `${counted(calls, 'call')}, ${counted(errors, 'error')}`;
}

function durationsIn({ calls, p50Ms, p95Ms }: UsagePoint): string {
  return calls === 0 ? 'no calls' : `p50 ${durationText(p50Ms)}, p95 ${durationText(p95Ms)}`;
}

export function durationText(ms: number | undefined): string {
  return ms === undefined ? '–' : formatDuration(ms);
}

/** Start of a slot, by the page's clock. */
function slotTime({ at, slotMs, points }: UsageReport, index: number, clockAheadMs: number): string {
  const last = Math.floor(at / slotMs) * slotMs;
  const time = last - (points.length - 1 - index) * slotMs + clockAheadMs;
  return slotMs < 60_000 ? formatTime(time) : formatMinute(time);
}

/** The next of 1, 2, 5, 10, 20, … */
function niceTop(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((each) => each * power >= value) ?? 10);
}
