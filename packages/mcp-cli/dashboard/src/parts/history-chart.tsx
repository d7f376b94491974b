import type { Sample } from '../../../src/dashboard/page-messages.js';
import { formatBytes, formatDuration, formatTime } from '../format.js';
import { type Tone, toneOf } from './state-badge.js';

const width = 240;
const height = 36;
/** Height of each state, so that a chart is readable without its colours. */
const heights = { good: 24, warn: 15, bad: 8, quiet: 3 } as const;

/** States of a server over time. */
export function StateChart({ samples, now }: ChartProps) {
  const [from, span] = timeSpan(samples, now);
  const changes = samples.filter((sample, index) => toneOfSample(sample) !== toneOfSample(samples[index - 1]));
  const steps = changes.map((sample, index) => ({
    tone: toneOfSample(sample) ?? 'quiet',
    start: ((sample.at - from) / span) * width,
    end: (((changes[index + 1]?.at ?? from + span) - from) / span) * width,
  }));
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describeChanges(samples)}
    >
      {steps.map(({ tone, start, end }) => (
        <rect
          class={`step-${tone}`}
          x={start.toFixed(1)}
          width={Math.max(end - start, 0.8).toFixed(1)}
          y={height - heights[tone]}
          height={heights[tone]}
        />
      ))}
    </svg>
  );
}

/** Start and end of a chart. */
export function TimeAxis({ samples, now }: ChartProps) {
  if (samples.length === 0) return null;
  const [from, span] = timeSpan(samples, now);
  return (
    <p class="axis">
      <span>
        {formatDuration(span)} ago, {formatTime(from)}
      </span>
      <span>now</span>
    </p>
  );
}

function toneOfSample(sample: Sample | undefined): Tone | undefined {
  if (sample?.state === 'running' && sample.health === 'unhealthy') return 'warn';
  return sample && toneOf(sample.state);
}

/** Memory of a server over time, with gaps while it was stopped. */
export function MemoryChart({ samples, now }: ChartProps) {
  const [from, span] = timeSpan(samples, now);
  const known = samples.flatMap(({ memoryBytes }) => (memoryBytes === undefined ? [] : [memoryBytes]));
  if (known.length === 0)
    return <p class="note">No figures yet. They are read once a minute, and every 5 s while a page is open.</p>;
  const most = Math.max(...known);
  let isDrawing = false;
  const path = samples.map(({ at, memoryBytes }) => {
    const command = isDrawing ? 'L' : 'M';
    isDrawing = memoryBytes !== undefined;
    if (memoryBytes === undefined) return '';
    const y = height - 2 - (memoryBytes / most) * (height - 6);
    return `${command}${(((at - from) / span) * width).toFixed(1)} ${y.toFixed(1)}`;
  });
  if (isDrawing) path.push(`H${width}`); // extends the last value until now
  const latest = known.at(-1) ?? 0;
  return (
    <>
      <svg
        class="chart"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Memory: ${formatBytes(latest)} last, ${formatBytes(most)} at most`}
      >
        <path class="line" d={path.join('')} vector-effect="non-scaling-stroke" />
      </svg>
      <p class="axis">
        <span>{formatBytes(latest)} now</span>
        <span>{formatBytes(most)} at most</span>
      </p>
    </>
  );
}

interface ChartProps {
  readonly samples: readonly Sample[];
  readonly now: number;
}

function timeSpan(samples: readonly Sample[], now: number): readonly [from: number, span: number] {
  const from = samples[0]?.at ?? now;
  const latest = Math.max(now, samples.at(-1)?.at ?? now); // `now` is updated less often than samples arrive
  return [from, Math.max(latest - from, 1_000)];
}

/** The last changes as text. */
function describeChanges(samples: readonly Sample[]): string {
  const changes = samples.filter(({ state }, index) => state !== samples[index - 1]?.state).slice(-4);
  if (changes.length === 0) return 'History: nothing yet';
  return `History: ${changes.map(({ state, at }) => `${state} since ${formatTime(at)}`).join(', ')}`;
}
