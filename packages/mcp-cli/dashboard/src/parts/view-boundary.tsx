import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { messageOf } from '../api.js';
import type { Route } from '../use-route.js';
import { ForeignText } from './foreign-text.js';

interface ViewBoundaryProps {
  readonly route: Route;
  readonly children: ComponentChildren;
}

/** A view that throws shows its failure, and the rest of the page works on. */
export function ViewBoundary({ route, children }: ViewBoundaryProps) {
  const [error, reset] = useErrorBoundary();
  useEffect(() => {
    if (error !== undefined) reset(); // another item may be fine
  }, [route]);
  if (error === undefined) return <>{children}</>;
  return (
    <div class="failure" role="alert">
      <p>
        <strong>This view cannot be shown: </strong>
        <ForeignText text={messageOf(error)} maxLength={1_000} />
      </p>
      <p>The other views work. This is a fault of the dashboard; please report it.</p>
      <div class="buttons">
        <button type="button" onClick={reset}>
          Try again
        </button>
      </div>
    </div>
  );
}
