import { HARDWARE, hardwareByName } from '../../hardware/presets.ts'
import { hardwareList, hardwareText } from '../../report/text/hardware.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit.ts'
import { printDocument } from '../io.ts'

/** `tropipe hardware`: the presets, and one preset number by number. */
export const hardware = defineCommand({
  details: 'A device is a die or a card, as each preset says: peaks, memory and links are per device.',
  options: ['json', 'output'],
  examples: ['tropipe hardware', 'tropipe hardware ascend-910c'],
  run: async ({ operands: [name], options, io }) => {
    const chosen = name === undefined ? HARDWARE : [hardwareByName(name, 'NAME')]
    if (options.json || options.output !== undefined) {
      await printDocument(io, { format: 'tropipe.hardware/1', presets: chosen }, options.output)
      if (options.json) return EXIT.done
    }
    io.out(name === undefined ? hardwareList(HARDWARE, io.style) : hardwareText(chosen[0], io.style))
    return EXIT.done
  }
})
