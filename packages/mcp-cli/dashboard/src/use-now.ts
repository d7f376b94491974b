import { useEffect, useState } from 'preact/hooks';

/** The time, a little later each few seconds: what is shown as “up 3 min” goes on. */
export function useNow(everyMs = 2_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
