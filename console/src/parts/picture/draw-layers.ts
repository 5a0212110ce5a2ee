import type { Renderer } from './renderer.js';

/** Draws layers of a picture onto a new canvas. A browser empties layers after it has shown them. */
export function drawLayers(
  renderer: Pick<Renderer, 'getCanvases'>,
  groundColor: string,
  names?: readonly string[],
): HTMLCanvasElement {
  const canvases = renderer.getCanvases();
  const layers = (names ?? Object.keys(canvases)).flatMap((name) => canvases[name] ?? []);
  const onto = document.createElement('canvas');
  onto.width = Math.max(...layers.map(({ width }) => width));
  onto.height = Math.max(...layers.map(({ height }) => height));
  const context = onto.getContext('2d', { alpha: false });
  if (!context) return onto;
  context.fillStyle = groundColor;
  context.fillRect(0, 0, onto.width, onto.height);
  for (const layer of layers) {
    if (layer.width > 0 && layer.height > 0) {
      context.drawImage(layer, 0, 0, onto.width, onto.height);
    }
  }
  return onto;
}
