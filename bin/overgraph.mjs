#!/usr/bin/env node
import '../scripts/overgraph.mjs';
