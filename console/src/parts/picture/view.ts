import type { Renderer } from './renderer.js';

/** Moves what is seen of a picture. */
export interface View {
  readonly zoom: (direction: 'in' | 'out') => void;
  /** Shows all of it. */
  readonly fit: () => void;
  /** Brings a node into the middle, near enough to read the names around it. */
  readonly goTo: (key: string) => void;
  /** By parts of the width of the picture. */
  readonly pan: (x: number, y: number) => void;
}

/** The view of all of it. */
export const WHOLE = { x: 0.5, y: 0.5, ratio: 1, angle: 0 };

/** A quarter of the width. */
const NEAR = 0.25;
const ZOOM = 1.5;

/** Whether the reader likes no motion. */
export const isStill = (): boolean => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

export function viewOf(renderer: Renderer): View {
  const camera = renderer.getCamera();
  const moveTo = (state: Partial<typeof WHOLE>): void => {
    if (isStill()) camera.setState(state);
    else void camera.animate(state);
  };
  return {
    zoom: (direction) => {
      const { ratio } = camera.getState();
      moveTo({ ratio: camera.getBoundedRatio(direction === 'in' ? ratio / ZOOM : ratio * ZOOM) });
    },
    fit: () => {
      moveTo(WHOLE);
    },
    goTo: (key) => {
      const place = renderer.getNodeDisplayData(key);
      if (!place) return;
      moveTo({ x: place.x, y: place.y, ratio: Math.min(camera.getState().ratio, NEAR) });
    },
    pan: (x, y) => {
      const { ratio, ...at } = camera.getState();
      camera.setState({ x: at.x + x * ratio, y: at.y - y * ratio });
    },
  };
}
