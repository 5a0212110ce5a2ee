import type { MultiUndirectedGraph } from 'graphology';
import { Sigma } from 'sigma';
import type { Settings } from 'sigma/settings';
import type { CameraState } from 'sigma/types';
import type { EdgeAttributes, NodeAttributes } from './renderer.js';
import { drawLayers } from './draw-layers.js';

/** The camera rests after so long without a movement. */
const REST_MS = 120;
/** Below 30 frames a second. */
const SLOW_MS = 33;
/** Of so many frames that follow each other: a single slow one has other reasons. */
const FRAMES = 5;
/** The part of the width or the height that may stay empty until the picture is drawn anew. */
const FAR = 1 / 3;
/** Letters and lines are drawn anew before they get coarser. */
const ENLARGED = 2;
/** While the picture moves, it has no boxes of selected nodes. */
const MOVED_LAYERS = ['edges', 'nodes', 'labels'];

/**
 * Draws each frame while the camera moves, as the library does. Without a graphics card that is slow. Then
 * a copy of the drawn picture is moved as a whole, and the picture is drawn anew when the camera rests.
 */
export class MovingRenderer extends Sigma<NodeAttributes, EdgeAttributes> {
  /** The state of the camera when the picture was drawn. */
  #drawn: CameraState;
  /** The times of the latest frames of this movement. */
  #frames: readonly number[] = [];
  /** Lies over the layers while a copy of them is moved. Exists where drawing is slow. */
  #cover: HTMLElement | undefined;
  /** Exists while the camera moves. */
  #rest: ReturnType<typeof setTimeout> | undefined;
  readonly #groundColor: () => string;
  readonly #end = new AbortController();

  constructor(
    graph: MultiUndirectedGraph<NodeAttributes, EdgeAttributes>,
    container: HTMLElement,
    settings: Partial<Settings<NodeAttributes, EdgeAttributes>>,
    groundColor: () => string,
  ) {
    super(graph, container, settings);
    this.#groundColor = groundColor;
    this.#drawn = this.getCamera().getState();
    this.on('afterRender', () => {
      this.#keepDrawn();
    });
    this.on('kill', () => {
      clearTimeout(this.#rest);
      this.#end.abort();
    });
    const options = { capture: true, signal: this.#end.signal };
    for (const name of ['mousedown', 'click', 'touchstart']) {
      container.addEventListener(name, this.#drawMoved, options);
    }
    this.#findNodesAtRest();
  }

  override scheduleRender(): this {
    const camera = this.getCamera().getState();
    if (isSame(camera, this.#drawn)) return super.scheduleRender();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      this.#frames = [];
      super.scheduleRender();
    }, REST_MS);
    return this.#cover && this.#move(this.#cover, camera) ? this : super.scheduleRender();
  }

  #keepDrawn(): void {
    this.#drawn = this.getCamera().getState();
    if (this.#cover) {
      this.#cover.hidden = true;
      this.#cover.replaceChildren(drawLayers(this, this.#groundColor(), MOVED_LAYERS));
    } else if (this.#rest !== undefined) this.#measureFrame();
  }

  #measureFrame(): void {
    const begin = performance.now();
    requestAnimationFrame(() => {
      this.#frames = [...this.#frames.slice(1 - FRAMES), performance.now() - begin];
      const total = this.#frames.reduce((sum, each) => sum + each, 0);
      if (this.#frames.length === FRAMES && total > FRAMES * SLOW_MS) this.#makeCover();
    });
  }

  #makeCover(): void {
    if (this.#cover || this.#end.signal.aborted) return;
    this.#cover = document.createElement('div');
    this.#cover.className = 'map-cover';
    this.getCanvases()['mouse']?.before(this.#cover);
    this.#draw();
  }

  /** Moves the copy to where the camera sees it; refuses when too little of it would be seen. */
  #move(cover: HTMLElement, camera: CameraState): boolean {
    const { width, height } = this.getDimensions();
    const scale = this.#drawn.ratio / camera.ratio;
    const from = this.framedGraphToViewport(ORIGIN, { cameraState: this.#drawn });
    const to = this.framedGraphToViewport(ORIGIN, { cameraState: camera });
    const [x, y] = [to.x - from.x * scale, to.y - from.y * scale];
    const isNear =
      camera.angle === this.#drawn.angle &&
      scale < ENLARGED &&
      Math.max(x, width - x - width * scale) < width * FAR &&
      Math.max(y, height - y - height * scale) < height * FAR;
    if (!isNear) return false;
    const copy = cover.querySelector('canvas');
    if (copy) copy.style.transform = `matrix(${[scale, 0, 0, scale, x, y].join(', ')})`;
    cover.hidden = false;
    return true;
  }

  /** So that a click meets what is seen. */
  readonly #drawMoved = (): void => {
    if (this.#cover?.hidden === false) this.#draw();
  };

  #draw(): void {
    this.refresh({ partialGraph: {}, skipIndexation: true });
  }

  /** To find the node below the pointer, the library waits until the picture is drawn. */
  #findNodesAtRest(): void {
    const atRest =
      <Event>(find: (event: Event) => void) =>
      (event: Event): void => {
        if (this.#rest === undefined) find(event);
      };
    const [mouse, touch] = [this.getMouseCaptor(), this.getTouchCaptor()];
    for (const find of mouse.listeners('mousemove')) {
      mouse.off('mousemove', find).on('mousemove', atRest(find));
    }
    for (const find of mouse.listeners('wheel')) mouse.off('wheel', find).on('wheel', atRest(find));
    for (const find of touch.listeners('touchmove')) {
      touch.off('touchmove', find).on('touchmove', atRest(find));
    }
  }
}

const ORIGIN = { x: 0, y: 0 };

const isSame = (a: CameraState, b: CameraState): boolean =>
  a.x === b.x && a.y === b.y && a.ratio === b.ratio && a.angle === b.angle;
