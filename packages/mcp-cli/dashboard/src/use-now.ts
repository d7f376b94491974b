import { useEffect, useState } from 'preact/hooks';

/** The current time, updated every few seconds, for texts such as “up 3 min”. */
export function useNow(everyMs = 2_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
