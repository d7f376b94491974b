/** `850 B`, `12 kB`, `4.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  const mega = bytes / 1_000_000;
  if (mega >= 1_000) return `${(mega / 1_000).toFixed(1)} GB`;
  return mega >= 10 ? `${Math.round(mega)} MB` : `${mega.toFixed(1)} MB`;
}

/** `850 ms`, `4.2 s`, `3 min`, `5 h`, `2 d`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  return ms < 86_400_000 ? `${Math.floor(ms / 3_600_000)} h` : `${Math.floor(ms / 86_400_000)} d`;
}

// `toLocaleTimeString` and `toLocaleString` make a formatter with each call, which takes longer than to draw the row.
const times = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });
const minutes = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', hourCycle: 'h23' });
const counts = new Intl.NumberFormat('en');
const rates = [0, 1, 2].map((digits) => new Intl.NumberFormat('en', { maximumFractionDigits: digits }));

/** `14:02:33`. */
export function formatTime(at: number): string {
  return times.format(at);
}

/** `14:02`. */
export function formatMinute(at: number): string {
  return minutes.format(at);
}

/** `1,200`. */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** True if one of the texts contains the words, in any case. */
export function hasWords(texts: readonly (string | undefined)[], words: string): boolean {
  const wanted = words.trim().toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(wanted));
}

/** `1 call`, `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `0.4`, `12`, `1,200`: three digits at most where that is exact enough. */
export function formatRate(value: number): string {
  const digits = value >= 10 || value === 0 ? 0 : value >= 1 ? 1 : 2;
  return (rates[digits] as Intl.NumberFormat).format(value);
}
