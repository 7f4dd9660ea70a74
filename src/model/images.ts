import type { Resolution, VisionModel } from './architecture.ts'

/** Pixels of an image. */
export type Size = { readonly width: number; readonly height: number }

/**
 * Patches of each attention unit of one image: one unit at native resolution (rounded to whole merged patches inside
 * the pixel limits), one per tile otherwise.
 */
export function patchesOf(vision: VisionModel, size: Size): readonly number[] {
  const { resolution } = vision
  if (resolution.kind === 'native') return [nativePatches(vision, resolution, size)]
  const perTile = Math.floor(resolution.side / vision.patch) ** 2
  return Array.from({ length: tilesOf(resolution, size) }, () => perTile)
}

function nativePatches(vision: VisionModel, limits: Resolution & { kind: 'native' }, size: Size): number {
  const unit = vision.patch * vision.merge
  const round = (side: number) => Math.max(unit, Math.round(side / unit) * unit)
  let [height, width] = [round(size.height), round(size.width)]
  const pixels = size.height * size.width
  if (height * width > limits.maxPixels) {
    const shrink = Math.sqrt(pixels / limits.maxPixels)
    const shrunk = (side: number) => Math.max(unit, Math.floor(side / shrink / unit) * unit)
    ;[height, width] = [shrunk(size.height), shrunk(size.width)]
  } else if (height * width < limits.minPixels) {
    const grow = Math.sqrt(limits.minPixels / pixels)
    const grown = (side: number) => Math.ceil((side * grow) / unit) * unit
    ;[height, width] = [grown(size.height), grown(size.width)]
  }
  return (height / vision.patch) * (width / vision.patch)
}

/** Tiles of the grid of at most `maxTiles` whose shape is nearest to the image's and that does not enlarge it much. */
function tilesOf(resolution: Resolution & { kind: 'tiles' }, size: Size): number {
  const aspect = size.width / size.height
  const wanted = Math.ceil((size.width * size.height) / resolution.side ** 2)
  let best = { columns: 1, rows: 1, off: Math.abs(Math.log(aspect)) }
  for (let columns = 1; columns <= resolution.maxTiles; columns++)
    for (let rows = 1; columns * rows <= Math.min(resolution.maxTiles, Math.max(1, wanted)); rows++) {
      const off = Math.abs(Math.log(aspect / (columns / rows)))
      const larger = columns * rows > best.columns * best.rows
      if (off < best.off - 1e-9 || (off < best.off + 1e-9 && larger)) best = { columns, rows, off }
    }
  const tiles = best.columns * best.rows
  return tiles > 1 && resolution.thumbnail ? tiles + 1 : tiles
}

/** Text tokens that patches become. */
export function tokensOf(vision: VisionModel, patches: number): number {
  return patches / (vision.merge * vision.merge)
}
