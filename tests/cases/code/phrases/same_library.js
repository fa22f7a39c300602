let a = 1;
const { compileModuleGraph, getRuntimeChunkName } = require("pack");

class SizePlugin {
	apply(compiler) {
		compiler.hooks.done.tap("SizePlugin", (stats) => {
			const sizes = new Map();
			while (stats.chunks.length > 0) {
				const last = stats.chunks.pop();
				if (!last.files) continue;
				const modules = [...this.graph.getChunkModulesIterable(last)].filter((m) => m.size() > this.limit);
				sizes.set(getRuntimeChunkName(last, compiler.options), modules.length);
				if (modules.length) stats.compilation.emitAssetAfterProcessing(last.id, modules);
			}
			this.output = stats.createStatsFactoryOutput(sizes);
		});
	}
}
