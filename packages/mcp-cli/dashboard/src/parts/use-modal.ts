import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Modal {
  /** Properties of the `dialog` element. */
  readonly dialog: { readonly ref: RefObject<HTMLDialogElement | null>; readonly onCancel: (event: Event) => void };
  /** Closes it before it is removed, so that the focus returns to its previous element. */
  readonly close: () => void;
}

/** A dialog that is modal while it is there. `onEscape`: called for Escape, which closes nothing by itself. */
export function useModal(onEscape: () => void): Modal {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return {
    dialog: {
      ref,
      onCancel: (event) => {
        event.preventDefault();
        onEscape();
      },
    },
    close: () => ref.current?.close(),
  };
}
