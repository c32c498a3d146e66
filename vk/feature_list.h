// The Boolean features and float-control properties that a probe reports, by the structure that holds each. Names are
// Vulkan's own (vulkan_core.h 1.3.239), so a name in a shader table, a profile or a report is a name in this list.
#ifndef VK_FEATURE_LIST_H
#define VK_FEATURE_LIST_H

// VkPhysicalDeviceFeatures
#define FEATURES_CORE(X) \
  X(core, robustBufferAccess) X(core, fullDrawIndexUint32) X(core, imageCubeArray) X(core, independentBlend) \
  X(core, geometryShader) X(core, tessellationShader) X(core, sampleRateShading) X(core, dualSrcBlend) X(core, logicOp) \
  X(core, multiDrawIndirect) X(core, drawIndirectFirstInstance) X(core, depthClamp) X(core, depthBiasClamp) \
  X(core, fillModeNonSolid) X(core, depthBounds) X(core, wideLines) X(core, largePoints) X(core, alphaToOne) \
  X(core, multiViewport) X(core, samplerAnisotropy) X(core, textureCompressionETC2) X(core, textureCompressionASTC_LDR) \
  X(core, textureCompressionBC) X(core, occlusionQueryPrecise) X(core, pipelineStatisticsQuery) \
  X(core, vertexPipelineStoresAndAtomics) X(core, fragmentStoresAndAtomics) X(core, shaderTessellationAndGeometryPointSize) \
  X(core, shaderImageGatherExtended) X(core, shaderStorageImageExtendedFormats) X(core, shaderStorageImageMultisample) \
  X(core, shaderStorageImageReadWithoutFormat) X(core, shaderStorageImageWriteWithoutFormat) \
  X(core, shaderUniformBufferArrayDynamicIndexing) X(core, shaderSampledImageArrayDynamicIndexing) \
  X(core, shaderStorageBufferArrayDynamicIndexing) X(core, shaderStorageImageArrayDynamicIndexing) X(core, shaderClipDistance) \
  X(core, shaderCullDistance) X(core, shaderFloat64) X(core, shaderInt64) X(core, shaderInt16) X(core, shaderResourceResidency) \
  X(core, shaderResourceMinLod) X(core, sparseBinding) X(core, sparseResidencyBuffer) X(core, sparseResidencyImage2D) \
  X(core, sparseResidencyImage3D) X(core, sparseResidency2Samples) X(core, sparseResidency4Samples) \
  X(core, sparseResidency8Samples) X(core, sparseResidency16Samples) X(core, sparseResidencyAliased) \
  X(core, variableMultisampleRate) X(core, inheritedQueries)

// VkPhysicalDeviceVulkan11Features
#define FEATURES_V11(X) \
  X(v11, storageBuffer16BitAccess) X(v11, uniformAndStorageBuffer16BitAccess) X(v11, storagePushConstant16) \
  X(v11, storageInputOutput16) X(v11, multiview) X(v11, multiviewGeometryShader) X(v11, multiviewTessellationShader) \
  X(v11, variablePointersStorageBuffer) X(v11, variablePointers) X(v11, protectedMemory) X(v11, samplerYcbcrConversion) \
  X(v11, shaderDrawParameters)

// VkPhysicalDeviceVulkan12Features
#define FEATURES_V12(X) \
  X(v12, samplerMirrorClampToEdge) X(v12, drawIndirectCount) X(v12, storageBuffer8BitAccess) \
  X(v12, uniformAndStorageBuffer8BitAccess) X(v12, storagePushConstant8) X(v12, shaderBufferInt64Atomics) \
  X(v12, shaderSharedInt64Atomics) X(v12, shaderFloat16) X(v12, shaderInt8) X(v12, descriptorIndexing) \
  X(v12, shaderInputAttachmentArrayDynamicIndexing) X(v12, shaderUniformTexelBufferArrayDynamicIndexing) \
  X(v12, shaderStorageTexelBufferArrayDynamicIndexing) X(v12, shaderUniformBufferArrayNonUniformIndexing) \
  X(v12, shaderSampledImageArrayNonUniformIndexing) X(v12, shaderStorageBufferArrayNonUniformIndexing) \
  X(v12, shaderStorageImageArrayNonUniformIndexing) X(v12, shaderInputAttachmentArrayNonUniformIndexing) \
  X(v12, shaderUniformTexelBufferArrayNonUniformIndexing) X(v12, shaderStorageTexelBufferArrayNonUniformIndexing) \
  X(v12, descriptorBindingUniformBufferUpdateAfterBind) X(v12, descriptorBindingSampledImageUpdateAfterBind) \
  X(v12, descriptorBindingStorageImageUpdateAfterBind) X(v12, descriptorBindingStorageBufferUpdateAfterBind) \
  X(v12, descriptorBindingUniformTexelBufferUpdateAfterBind) X(v12, descriptorBindingStorageTexelBufferUpdateAfterBind) \
  X(v12, descriptorBindingUpdateUnusedWhilePending) X(v12, descriptorBindingPartiallyBound) \
  X(v12, descriptorBindingVariableDescriptorCount) X(v12, runtimeDescriptorArray) X(v12, samplerFilterMinmax) \
  X(v12, scalarBlockLayout) X(v12, imagelessFramebuffer) X(v12, uniformBufferStandardLayout) X(v12, shaderSubgroupExtendedTypes) \
  X(v12, separateDepthStencilLayouts) X(v12, hostQueryReset) X(v12, timelineSemaphore) X(v12, bufferDeviceAddress) \
  X(v12, bufferDeviceAddressCaptureReplay) X(v12, bufferDeviceAddressMultiDevice) X(v12, vulkanMemoryModel) \
  X(v12, vulkanMemoryModelDeviceScope) X(v12, vulkanMemoryModelAvailabilityVisibilityChains) X(v12, shaderOutputViewportIndex) \
  X(v12, shaderOutputLayer) X(v12, subgroupBroadcastDynamicId)

// VkPhysicalDeviceVulkan13Features
#define FEATURES_V13(X) \
  X(v13, robustImageAccess) X(v13, inlineUniformBlock) X(v13, descriptorBindingInlineUniformBlockUpdateAfterBind) \
  X(v13, pipelineCreationCacheControl) X(v13, privateData) X(v13, shaderDemoteToHelperInvocation) \
  X(v13, shaderTerminateInvocation) X(v13, subgroupSizeControl) X(v13, computeFullSubgroups) X(v13, synchronization2) \
  X(v13, textureCompressionASTC_HDR) X(v13, shaderZeroInitializeWorkgroupMemory) X(v13, dynamicRendering) \
  X(v13, shaderIntegerDotProduct) X(v13, maintenance4)

// VkPhysicalDeviceShaderAtomicFloatFeaturesEXT
#define FEATURES_AF(X) \
  X(af, shaderBufferFloat32Atomics) X(af, shaderBufferFloat32AtomicAdd) X(af, shaderBufferFloat64Atomics) \
  X(af, shaderBufferFloat64AtomicAdd) X(af, shaderSharedFloat32Atomics) X(af, shaderSharedFloat32AtomicAdd) \
  X(af, shaderSharedFloat64Atomics) X(af, shaderSharedFloat64AtomicAdd) X(af, shaderImageFloat32Atomics) \
  X(af, shaderImageFloat32AtomicAdd) X(af, sparseImageFloat32Atomics) X(af, sparseImageFloat32AtomicAdd)

// VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT
#define FEATURES_AF2(X) \
  X(af2, shaderBufferFloat16Atomics) X(af2, shaderBufferFloat16AtomicAdd) X(af2, shaderBufferFloat16AtomicMinMax) \
  X(af2, shaderBufferFloat32AtomicMinMax) X(af2, shaderBufferFloat64AtomicMinMax) X(af2, shaderSharedFloat16Atomics) \
  X(af2, shaderSharedFloat16AtomicAdd) X(af2, shaderSharedFloat16AtomicMinMax) X(af2, shaderSharedFloat32AtomicMinMax) \
  X(af2, shaderSharedFloat64AtomicMinMax) X(af2, shaderImageFloat32AtomicMinMax) X(af2, sparseImageFloat32AtomicMinMax)

// VkPhysicalDeviceVulkan12Properties: what float controls a shader may ask for; nothing to enable.
#define FEATURES_P12(X) \
  X(p12, shaderSignedZeroInfNanPreserveFloat16) X(p12, shaderSignedZeroInfNanPreserveFloat32) \
  X(p12, shaderSignedZeroInfNanPreserveFloat64) X(p12, shaderDenormPreserveFloat16) X(p12, shaderDenormPreserveFloat32) \
  X(p12, shaderDenormPreserveFloat64) X(p12, shaderDenormFlushToZeroFloat16) X(p12, shaderDenormFlushToZeroFloat32) \
  X(p12, shaderDenormFlushToZeroFloat64) X(p12, shaderRoundingModeRTEFloat16) X(p12, shaderRoundingModeRTEFloat32) \
  X(p12, shaderRoundingModeRTEFloat64) X(p12, shaderRoundingModeRTZFloat16) X(p12, shaderRoundingModeRTZFloat32) \
  X(p12, shaderRoundingModeRTZFloat64)

#define FEATURES(X) FEATURES_CORE(X) FEATURES_V11(X) FEATURES_V12(X) FEATURES_V13(X) FEATURES_AF(X) FEATURES_AF2(X)

#endif
