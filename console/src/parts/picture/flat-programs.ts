import {
  EdgeRectangleProgram,
  getAttributesItemsCount,
  NodeCircleProgram,
  type Program,
} from 'sigma/rendering';
import type { EdgeDisplayData, NodeDisplayData } from 'sigma/types';
import type { EdgeAttributes, NodeAttributes } from './renderer.js';
import { SquareProgram } from './square-program.js';

/*
 * The library draws each node and each line as an instance of a shape with few corners. Renderers without a
 * graphics card begin anew for each instance. So these programs write all corners out, and draw them at once.
 */

type Shapes = Pick<
  Program,
  | 'array'
  | 'ATTRIBUTES'
  | 'ATTRIBUTES_ITEMS_COUNT'
  | 'CONSTANT_ATTRIBUTES'
  | 'CONSTANT_DATA'
  | 'isInstanced'
  | 'STRIDE'
  | 'VERTICES'
>;

/** Makes what differs between corners an attribute like what differs between shapes. */
function writeOut(program: Shapes): void {
  program.ATTRIBUTES = [...program.ATTRIBUTES, ...program.CONSTANT_ATTRIBUTES];
  program.ATTRIBUTES_ITEMS_COUNT = getAttributesItemsCount(program.ATTRIBUTES);
  program.STRIDE = program.VERTICES * program.ATTRIBUTES_ITEMS_COUNT;
  program.isInstanced = false;
}

/** Repeats the attributes of the shape, which its first corner has, for its other corners. */
function writeCorners(program: Shapes, start: number): void {
  const { array, ATTRIBUTES_ITEMS_COUNT: items, CONSTANT_DATA: corners } = program;
  for (const [i, corner] of corners.entries()) {
    const at = start + i * items;
    const common = items - corner.length;
    if (i > 0) array.copyWithin(at, start, start + common);
    array.set(corner, at + common);
  }
}

export class FlatDiscProgram extends NodeCircleProgram<NodeAttributes, EdgeAttributes> {
  constructor(
    ...args: ConstructorParameters<typeof NodeCircleProgram<NodeAttributes, EdgeAttributes>>
  ) {
    super(...args);
    writeOut(this);
  }

  override processVisibleItem(index: number, start: number, data: NodeDisplayData): void {
    super.processVisibleItem(index, start, data);
    writeCorners(this, start);
  }
}

export class FlatSquareProgram extends SquareProgram {
  constructor(...args: ConstructorParameters<typeof SquareProgram>) {
    super(...args);
    writeOut(this);
  }

  override processVisibleItem(index: number, start: number, data: NodeDisplayData): void {
    super.processVisibleItem(index, start, data);
    writeCorners(this, start);
  }
}

export class FlatLineProgram extends EdgeRectangleProgram<NodeAttributes, EdgeAttributes> {
  constructor(
    ...args: ConstructorParameters<typeof EdgeRectangleProgram<NodeAttributes, EdgeAttributes>>
  ) {
    super(...args);
    writeOut(this);
  }

  override processVisibleItem(
    index: number,
    start: number,
    source: NodeDisplayData,
    target: NodeDisplayData,
    data: EdgeDisplayData,
  ): void {
    super.processVisibleItem(index, start, source, target, data);
    writeCorners(this, start);
  }
}
