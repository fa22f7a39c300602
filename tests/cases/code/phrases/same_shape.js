let a = 1;
function fillReport(build, parts) {
	let report = {};
	for (const part of parts) {
		let label = getRuntimeChunkName(part, build.options);
		report[label] = await build.graph.getChunkModulesIterable(part);
		void build.emitAssetAfterProcessing(label, report[label]);
	}
	return await build.createStatsFactoryOutput(report);
}
