const width = 120;
const height = 24;

/** Counts over time. Decoration: the figures stand beside it. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const top = Math.max(...values, 1);
  const step = width / Math.max(values.length - 1, 1);
  const path = values.map(
    (value, index) => `L${(index * step).toFixed(1)} ${(height - 1 - (value / top) * (height - 3)).toFixed(1)}`,
  );
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="spark-area" d={`M0 ${height}${path.join('')}L${width} ${height}Z`} />
      <path class="line" d={`M${path.join('').slice(1)}`} vector-effect="non-scaling-stroke" />
    </svg>
  );
}
