import { NodeCircleProgram } from 'sigma/rendering';
import type { EdgeAttributes, NodeAttributes } from './renderer.js';

/** A square with the area of the disc of its size, so that policies and classes differ by form, too. */
const VERTEX_SHADER = `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec2 a_position;
attribute float a_size;
attribute float a_angle;

uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform float u_correctionRatio;

varying vec4 v_color;

const float bias = 255.0 / 254.0;
const float corner = 1.2533;

void main() {
  float radius = a_size * u_correctionRatio / u_sizeRatio * 2.0;
  vec2 position = a_position + radius * corner * vec2(cos(a_angle), sin(a_angle));
  gl_Position = vec4((u_matrix * vec3(position, 1)).xy, 0, 1);
  #ifdef PICKING_MODE
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
  v_color.a *= bias;
}
`;

const FRAGMENT_SHADER = `
precision mediump float;

varying vec4 v_color;

void main(void) {
  gl_FragColor = v_color;
}
`;

/** The corners of two triangles, as quarters of a turn from the upper right one. */
const CORNERS = [0, 1, 2, 0, 2, 3];

export class SquareProgram extends NodeCircleProgram<NodeAttributes, EdgeAttributes> {
  override getDefinition(): ReturnType<NodeCircleProgram['getDefinition']> {
    return {
      ...super.getDefinition(),
      VERTICES: CORNERS.length,
      VERTEX_SHADER_SOURCE: VERTEX_SHADER,
      FRAGMENT_SHADER_SOURCE: FRAGMENT_SHADER,
      CONSTANT_DATA: CORNERS.map((corner) => [Math.PI / 4 + (corner * Math.PI) / 2]),
    };
  }
}
